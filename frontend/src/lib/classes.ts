// What the API of classes answers with.
import type { CaseShown } from './types';

export type Where = 'others' | 'you' | 'ended' | 'stopped' | 'closed' | 'away' | 'failed';
export interface SessionShown {
  run: string;
  place: number;
  where: Where;
  begun_ms: number;
  elapsed_ms: number;
  lines: number | null;
  last: string;
  hints: number;
}
export interface MemberShown {
  number: number;
  name: string;
  joined_ms: number;
  here: boolean;
  free: boolean;
  sessions: SessionShown[];
}
export interface ClassShown {
  id: string;
  code: string;
  title: string;
  clinic: string;
  clinic_title: string;
  part: string;
  minutes: number;
  educator: string;
  created_ms: number;
  ended_ms: number;
  cases: CaseShown[];
}
export interface ClassNow {
  about: ClassShown;
  members: MemberShown[];
}
export interface Result {
  number: number;
  name: string;
  place: number;
  case: string;
  run: string;
  where: Where;
  begun_ms: number;
  elapsed_ms: number;
  outcome: string;
  lines: number | null;
  hints: number;
  short: string[];
  figures: Record<string, number>;
}
export interface ClassTable {
  now: ClassNow;
  results: Result[];
  figures: string[];
}
export interface MyClass {
  id: string;
  title: string;
  clinic_title: string;
  part: string;
  minutes: number;
  educator: string;
  name: string;
  ended: boolean;
  cases: { place: number; introduction: string; state: 'new' | 'open' | 'done' | 'failed'; run: string }[];
}
