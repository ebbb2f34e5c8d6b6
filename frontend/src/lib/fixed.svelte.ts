// Texts that are fixed in English on the server (names, explanations, buttons), in Korean where the clinics' tables
// have them. What people and models say is not looked up here.
import { get } from './api';
import { settings } from './settings.svelte';

interface Pattern {
  match: RegExp;
  korean: string;
}
let exact = $state.raw<Record<string, string>>({});
let patterns = $state.raw<Pattern[]>([]);
let asked = false;

export async function fetchKorean(): Promise<void> {
  if (asked) return;
  asked = true;
  const table = await get<Record<string, string>>('/api/words/ko').catch(() => ((asked = false), {}));
  patterns = Object.entries(table)
    .filter(([english]) => /\{\d\}/.test(english))
    .map(([english, korean]) => ({ match: new RegExp(`^${english.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\d\}/g, '(.+?)')}$`, 's'), korean }));
  exact = table;
}

export function fixed(text: string): string {
  if (settings.language !== 'ko' || !text) return text;
  // Reports begin a text with a capital letter and leave out a question mark at its end;
  // a choice shows a name with spaces.
  const known = exact[text] ?? exact[text.slice(0, 1).toLowerCase() + text.slice(1)] ?? exact[`${text}?`] ?? exact[text.replaceAll(' ', '_')];
  if (known) return known;
  for (const { match, korean } of patterns) {
    const found = match.exec(text);
    if (found) return korean.replace(/\{(\d)\}/g, (_, at: string) => fixed(found[Number(at)] ?? ''));
  }
  return text;
}
