// What the API of libraries answers with.
import type { Section } from './types';

export interface Source {
  name: string;
  clinic: string;
  title: string;
  library: string;
  about: string;
  saved: boolean;
}
export interface Libraries {
  libraries: Source[];
  rules: { clinic: string; title: string; sections: Section[] }[];
}
export interface Entry {
  id: string;
  key: string;
  texts: Record<string, string>;
  quality: number;
  run: string;
  episode: string;
  scenario: string;
  uses: number;
  good: number;
  poor: number;
}
export interface LibraryInFull extends Omit<Source, 'title'> {
  version: number;
  entries: Entry[];
  removed: Entry[];
  history: { version: number; action: string; key: string; reason: string; run: string; episode: string }[];
}
export interface PromptChanged {
  run: string;
  episode: string;
  role: string;
  prompt: string;
  lines: { mark: string; text: string }[];
}
