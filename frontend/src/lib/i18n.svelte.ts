import { fixed } from './fixed.svelte';
import { settings } from './settings.svelte';
import { words, type Word } from './words';

// A phrase in the chosen language, with its blanks filled in.
export function t(word: Word, blanks: Record<string, string | number> = {}): string {
  const text: string = words[word][settings.language === 'ko' ? 1 : 0];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(blanks[name] ?? whole));
}

// A name as people read it; of a seat (`student-1`), the part is translated.
export function plainName(name: string): string {
  const [, part = name, seat = ''] = /^(.+?)(-\d+)$/.exec(name) ?? [];
  return `${fixed(part)}${seat}`.replaceAll('_', ' ');
}

export function number(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return '–';
  if (Number.isInteger(value)) return value.toLocaleString(settings.language);
  return Number(value.toPrecision(digits)).toLocaleString(settings.language, { maximumSignificantDigits: digits });
}

export function when(ms: number): string {
  return new Date(ms).toLocaleString(settings.language, { dateStyle: 'medium', timeStyle: 'short' });
}

export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
