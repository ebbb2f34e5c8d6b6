import type { Line } from './types';

export type Piece = { text: string; line: number };

const flat = (text: string) => text.replace(/\s+/g, ' ').trim();

// Which line of the conversation holds these words; 0 where none does.
export function lineOf(words: string, lines: readonly Line[]): number {
  const wanted = flat(words).replace(/…$/, '').trim();
  if (wanted.length < 4) return 0;
  const found = lines.find((line) => flat(line.text).includes(wanted))?.number ?? 0;
  const after = wanted.replace(/^[^:]{1,40}: /, ''); // evidence may begin with the name of a rule
  return found || after === wanted ? found : lineOf(after, lines);
}

// A text cut at its quotations, each with the line it is from.
export function pieces(text: string, lines: readonly Line[]): Piece[] {
  const whole = lineOf(text, lines);
  if (whole) return [{ text, line: whole }];
  const found: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(/“([^”]+)”/g)) {
    const line = lineOf(match[1] ?? '', lines);
    if (!line) continue;
    if (match.index > at) found.push({ text: text.slice(at, match.index), line: 0 });
    found.push({ text: match[0], line });
    at = match.index + match[0].length;
  }
  if (at < text.length) found.push({ text: text.slice(at), line: 0 });
  return found;
}
