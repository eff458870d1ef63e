/** Responses of the HTTP API; docs/API.md describes them. */

export type Format = "ts" | "flv" | "mp4" | "hls" | "dash";

export interface Stream {
  name: string;
  state: string;
  away_since: string | null;
  last_picture: string | null;
  troubles: string[];
  began: string;
  width: number | null;
  height: number | null;
  frame_rate: number | null;
  video_codec: string | null;
  audio_codec: string | null;
  rate: { min: number; max: number };
  formats: Format[];
}

export interface Streams {
  version: string;
  revision: number;
  admin: boolean;
  proxy: "trusted" | "unknown" | null;
  page: { title: string; logo: boolean; technical: boolean };
  streams: Stream[];
}

export interface Group {
  index: number;
  target: number;
  rate: number;
  audio: number | null;
  viewers: number;
  width: number | null;
  height: number | null;
  frames: number;
  frames_late: number;
  keyframes_forced: number;
  closing: boolean;
}

export interface StreamState {
  name: string;
  state: string;
  error: string | null;
  dejitter: number;
  width: number | null;
  height: number | null;
  viewers: number;
  max_groups: number;
  preset: string | null;
  groups: Group[];
}

export interface Viewer {
  id: number;
  stream: string;
  format: Format;
  address: string;
  user_agent: string;
  group: number;
  connected: number;
  target: number | null;
  reason: string;
  capacity: number | null;
  rtt: number | null;
  min_rtt: number | null;
  cwnd: number | null;
  ssthresh: number | null;
  backlog: number | null;
  behind_live: number | null;
  delivery_rate: number | null;
  bytes_sent: number;
  frames_dropped: number;
  switches: number;
  congestion_events: number;
}

export interface State {
  at: number;
  streams: StreamState[];
  viewers_total: number;
  viewers: Viewer[];
}

export interface Sample {
  at: number;
  target: number | null;
  served: number | null;
  rate: number | null;
  capacity: number | null;
  rtt: number | null;
  cwnd: number | null;
  ssthresh: number | null;
  in_flight: number | null;
  backlog: number | null;
  behind_live: number | null;
}

export interface Congestion {
  at: number;
  kind: string;
  cwnd: number;
  ssthresh: number | null;
}

export interface Decision {
  at: number;
  rate: number;
  reason: string;
  capacity: number | null;
  backlog: number;
  queueing_delay: number;
}
