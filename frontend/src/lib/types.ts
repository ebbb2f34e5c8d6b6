// What the API answers with; the same shapes as in its OpenAPI description.

export interface Option {
  value: string | number;
  label: string;
}
export interface FormRow {
  name: string;
  label: string;
  about: string;
  kind: 'line' | 'text' | 'choice' | 'several' | 'number' | 'yes_no' | 'texts' | 'pairs' | 'group' | 'groups';
  options: Option[];
  required: boolean;
  demanded: boolean;
  longest: number | null;
  least: number | null;
  most: number | null;
  only_if: { field: string; values: string[] } | null;
  rows: FormRow[];
}
export type Values = Record<string, unknown>;

export interface Part {
  name: string;
  about: string;
  trained: boolean;
  seats: string[];
}
export interface Clinic {
  name: string;
  title: string;
  summary: string;
  parts: Part[];
  live: boolean;
  fault: string;
}
export interface ClinicInFull extends Clinic {
  ways: { name: string; about: string }[];
  first_way: string;
  settings: string[];
}
export interface CaseShown {
  id: string;
  introduction: string;
}

export interface Line {
  number: number;
  kind: 'said' | 'tool';
  speaker: string;
  to: string;
  text: string;
  mine: boolean;
  round: string;
}
export interface Move {
  label: string;
  text: string;
  asks: string;
}
export interface Tool {
  name: string;
  label: string;
  about: string;
  rows: FormRow[];
}
export interface Asked {
  key: string;
  known: string[];
  ask: string;
  rows: FormRow[];
  moves: Move[];
  tools: Tool[];
  pictures: { id: string; caption: string }[];
  language: string;
}
export interface Situation {
  state: 'others' | 'you' | 'ended' | 'stopped' | 'closed';
  asked: Asked | null;
  why: string;
  seen: number;
}
export interface About {
  id: string;
  clinic: string;
  title: string;
  part: string;
  case: string;
  introduction: string;
  language: 'en' | 'ko';
  way: string;
  who: string;
  minutes: number;
  begun_ms: number;
  state: 'open' | 'done' | 'failed';
}
export interface HintShown {
  number: number;
  after: number;
  text: string;
  author: string;
}
export interface Room {
  about: About;
  lines: Line[];
  standing: Situation;
  hints: HintShown[];
  class_id: string;
}

export interface Estimate {
  mean: number | null;
  low: number | null;
  high: number | null;
  n: number;
}
export type Cell = string | number | boolean | Estimate | null;
export type Block =
  | { kind: 'paragraph'; text: string; tone: 'plain' | 'note' | 'warning' }
  | { kind: 'table'; caption: string; columns: string[]; rows: Cell[][]; note: string; digits: number }
  | { kind: 'figure'; caption: string; alt: string; chart: Chart }
  | { kind: 'grid'; figures: { kind: 'figure'; caption: string; alt: string; chart: Chart }[] }
  | { kind: 'picture'; caption: string; data: string; media_type: string }
  | { kind: 'dialogue'; caption: string; lines: { speaker: string; text: string; aside: string; tone: string }[] }
  | { kind: 'diff'; before: string; after: string; caption: string }
  | { kind: 'details'; summary: string; body: Block[]; open: boolean };
export type Chart = { kind: string } & Record<string, unknown>;
export interface Section {
  title: string;
  body: Block[];
}
export interface RunShown {
  id: string;
  clinic: string;
  title: string;
  cast: string;
  variants: string[];
  begun_ms: number;
  done: number;
  failed: number;
  left: number;
  going: boolean;
  person: boolean;
}
export interface Going {
  going: boolean;
  done: number;
  failed: number;
  left: number;
  cost_usd: number;
  eta_s: number | null;
  why: string;
}
export interface Report {
  headline: Block[];
  variants: { name: string; about: string }[];
  metrics: {
    name: string;
    about: string;
    up: boolean;
    low: number | null;
    high: number | null;
    rests_on: string;
    valid: boolean;
    values: Record<string, Estimate>;
  }[];
  cast: { role: string; model: string; kind: string }[];
  sections: Section[];
}
export interface EpisodePage {
  episodes: {
    id: string;
    number: number;
    scenario: string;
    variant: string;
    trial: number;
    status: string;
    outcome: string;
    owners: string[];
    calls: number;
    cost_usd: number;
    elapsed_ms: number;
    values: Record<string, number>;
  }[];
  found: number;
  whole: boolean;
  all: number;
  outcomes: string[];
  owners: string[];
  metrics: string[];
  variants: string[];
}
export interface EventShown {
  number: number;
  kind: string;
  speaker: string;
  to: string;
  text: string;
  aside: string;
  tone: string;
  round: string;
  call: number | null;
}
export interface EpisodeInFull {
  run: string;
  id: string;
  clinic: string;
  scenario: string;
  variant: string;
  trial: number;
  outcome: string;
  introduction: string;
  cast: Record<string, string>;
  events: EventShown[];
  scores: { metric: string; about: string; value: number; judge: string; subject: string; reason: string; evidence: string[] }[];
  calls: {
    number: number;
    role: string;
    prompt: string;
    model: string;
    text: string;
    fault: string;
    input_tokens: number;
    output_tokens: number;
    cost_usd: number;
    latency_ms: number | null;
  }[];
}
export interface CallInFull {
  role: string;
  prompt: string;
  messages: { role: string; content: string }[];
  reply: string;
}
export interface Compared {
  rows: {
    metric: string;
    left_mean: number;
    right_mean: number;
    difference: number;
    low: number | null;
    high: number | null;
    p_holm: number;
    wins: number;
    ties: number;
    losses: number;
    pairs: number;
  }[];
  tested: boolean;
  about: Record<string, { about: string; up: boolean }>;
}
export interface DeskAction {
  name: string;
  title: string;
  about: string;
  when: string[];
  by: 'visitor' | 'staff';
  rows: FormRow[];
}
export interface DeskShown {
  clinic: string;
  title: string;
  summary: string;
  visitor: string;
  states: string[];
  queues: string[];
  alerts: string[];
  actions: DeskAction[];
  opening: FormRow[];
}
export interface DeskCase {
  id: string;
  session: string;
  queue: string;
  status: 'open' | 'taken' | 'closed';
  taken_by: string;
  remark: string;
  created_ms: number;
  reason: string;
  why: string;
  words: string;
  rings: boolean;
}
export interface DeskNow {
  sessions: { view: Record<string, unknown>; last: string }[];
  cases: DeskCase[];
  ringing: number;
}
export interface Talk {
  view: Record<string, unknown>;
  heard: { number: number; speaker: string; text: string }[];
}
export interface Audited {
  number: number;
  at_ms: number;
  who: string;
  action: string;
  target: string;
  outcome: string;
}
export interface Feedback {
  outcome: string;
  part: string;
  measured: boolean; // else the words say only what the session recorded
  sections: Section[];
  figures: { name: string; value: number; about: string }[];
  elapsed_ms: number;
  lines: Line[];
}
