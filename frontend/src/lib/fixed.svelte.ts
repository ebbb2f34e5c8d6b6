// Texts that are fixed in English on the server (names, explanations, buttons), in Korean where the clinics' tables
// have them. What people and models say is not looked up here.
import { get } from './api';
import { settings } from './settings.svelte';

interface Pattern {
  pieces: string[];
  match: RegExp;
  korean: string;
}
const BLANK = /\{\d\}/g;
let exact = $state.raw<ReadonlyMap<string, string>>(new Map());
let patterns = $state.raw<Pattern[]>([]);
let asked = false;

export async function fetchKorean(): Promise<void> {
  if (asked) return;
  asked = true;
  const table = await get<Record<string, string>>('/api/words/ko').catch(() => ((asked = false), {}));
  patterns = Object.entries(table)
    .filter(([english]) => /\{\d\}/.test(english))
    .map(([english, korean]) => {
      const match = new RegExp(`^${english.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(BLANK, '(.+?)')}$`, 's');
      return { pieces: english.split(BLANK), match, korean };
    });
  exact = new Map(Object.entries(table));
}

// A text of the tables, or one that a pattern of the tables describes.
function whole(text: string): string | undefined {
  // Reports begin a text with a capital letter and leave out a question mark at its end;
  // a form shows a name with spaces.
  const low = text.slice(0, 1).toLowerCase() + text.slice(1);
  const known = exact.get(text) ?? exact.get(low) ?? exact.get(`${text}?`) ?? exact.get(low.replaceAll(' ', '_'));
  if (known) return known;
  for (const { pieces, match, korean } of patterns) {
    const found = pieces.every((piece) => text.includes(piece)) && match.exec(text);
    if (found) return korean.replace(/\{(\d)\}/g, (_, at: string) => fixed(found[Number(at)] ?? ''));
  }
  return undefined;
}

// A known text as the end of a sentence, or several known texts in a list.
function ending(text: string): string | undefined {
  const found = whole(text);
  if (found) return found;
  if (text.endsWith('.')) {
    const inner = ending(text.slice(0, -1));
    return inner && `${inner}.`;
  }
  const [, named = '', name = ''] = /^(.+) \(([^()]+)\)$/s.exec(text) ?? []; // a known text with its short name
  const known = named && whole(named);
  if (known) return `${known}(${whole(name) ?? name})`;
  for (const comma of ['; ', ', ']) {
    const items = text.split(comma).map((item) => whole(item) ?? (/[a-z]/i.test(item) ? '' : item));
    if (items.length > 1 && items.every(Boolean) && items.join(comma) !== text) return items.join(comma);
  }
  return undefined;
}

export function fixed(text: string): string {
  if (settings.language !== 'ko' || !text) return text;
  const found = ending(text);
  if (found) return found;
  if (text.includes('\n')) return text.split('\n').map(fixed).join('\n');
  for (let at = text.indexOf(': '); at >= 0; at = text.indexOf(': ', at + 1)) {
    const end = ending(text.slice(at + 2));
    if (end) return `${whole(text.slice(0, at)) ?? text.slice(0, at)}: ${end}`;
  }
  const [, name = '', rest = ''] = /^([^:]{1,40})(: .*)$/s.exec(text) ?? [];
  return (exact.get(name) ?? name) + (name ? rest : text);
}

// A longer text for people: what is fixed in its lines and sentences is translated, and the rest stays.
export function told(text: string): string {
  const line = (words: string) => {
    const known = fixed(words);
    return known === words ? words.split(/(?<=[.?!]\)?) /).map(fixed).join(' ') : known;
  };
  return text.replace(/^(- |\d+\. )?(.+)$/gm, (_, mark: string | undefined, words: string) => `${mark ?? ''}${line(words)}`);
}
