const kAgents: [RegExp, string][] = [
  [/Edg\/(\d+)/, "Edge"],
  [/OPR\/(\d+)/, "Opera"],
  [/Firefox\/(\d+)/, "Firefox"],
  [/HeadlessChrome\/(\d+)/, "Chrome, headless"],
  [/Chrom(?:e|ium)\/(\d+)/, "Chrome"],
  [/Version\/(\d+).* Safari/, "Safari"],
  [/VLC\/([\d.]+)/, "VLC"],
  [/Lavf\//, "FFmpeg"],
  [/^mpv ([\d.]+)/, "mpv"],
  [/GStreamer .*?([\d.]+)/, "GStreamer"],
  [/AppleCoreMedia\/([\d.]+)/, "AppleCoreMedia"],
];

/** A short name such as "Firefox 121" for a User-Agent header. */
export function agentName(agent: string): string {
  for (const [pattern, name] of kAgents) {
    const found = pattern.exec(agent);
    if (found) return `${name} ${found[1] ?? ""}`.trim();
  }
  return agent.split(/[ (]/, 1)[0]?.replace("/", " ") || "unknown player";
}
