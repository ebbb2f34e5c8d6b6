// What the API of ratings answers with.
import type { Section } from './types';

export interface PacketShown {
  id: string;
  code: string;
  title: string;
  run: string;
  clinic: string;
  clinic_title: string;
  items: number;
  pairs: number;
  questions: number;
  created_ms: number;
  ended_ms: number;
}
export interface Progress {
  name: string;
  rated: number;
  items: number;
  judged: number;
  rounds: number;
}
export interface PacketNow {
  about: PacketShown;
  raters: Progress[];
}
export interface Question {
  id: string;
  question: string;
  low: number;
  high: number;
  anchors: Record<string, string>;
}
export interface MyPacket {
  id: string;
  title: string;
  name: string;
  ended: boolean;
  questions: Question[];
  pair_question: string;
  items: { code: string; done: boolean }[];
  rounds: boolean[];
}
export interface Evidence {
  line: number;
  start: number;
  end: number;
  words: string;
}
export interface RatingGiven {
  value: number;
  comment: string;
  evidence: Evidence[];
}
export interface Said {
  speaker: string;
  text: string;
}
export interface Item {
  lines: Said[];
  answers: Record<string, RatingGiven>;
}
export type Better = 'first' | 'second' | 'neither';
export interface Round {
  first: Said[];
  second: Said[];
  answer: { better: Better; reason: string } | null;
}
export interface AgreementFound {
  sections: Section[];
  evidence: { item: string; episode: string; rater: string; question: string; value: number; words: string }[];
}
