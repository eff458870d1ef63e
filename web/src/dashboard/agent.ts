const kKnown: [RegExp, string][] = [
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

/** "Firefox 121", of what a client calls itself. */
export function agentName(agent: string): string {
  for (const [pattern, name] of kKnown) {
    const found = pattern.exec(agent);
    if (found) return `${name} ${found[1] ?? ""}`.trim();
  }
  return agent.split(/[ (]/, 1)[0]?.replace("/", " ") || "unknown player";
}
