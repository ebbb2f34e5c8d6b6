// What the API of boards answers with, and the state of a board at a moment.

export interface Moment {
  minute: number;
  change: 'booked' | 'moved' | 'cancelled' | 'waiting' | 'arrived' | 'seen' | 'missed';
  booking: string;
  row: string;
  day: number;
  minutes: number;
  who: string;
  at: string;
  episode: string;
  leaves: boolean;
}
export interface Board {
  title: string;
  days: string[];
  rows: { name: string; minutes: number[] }[];
  first: number;
  last: number;
  calls: { episode: string; minute: number; about: string; who: string }[];
  moments: Moment[];
}
export interface BoardShown {
  board: Board;
  unit: string;
  done: number;
  left: number;
}
export interface Dial {
  name: string;
  about: string;
  value: number;
  low: number;
  high: number;
  whole: boolean;
}
export interface Boards {
  clinics: { clinic: string; title: string; dials: Dial[] }[];
  runs: { run: string; clinic: string; begun_ms: number; units: string[] }[];
}
export interface Standing {
  bookings: Map<string, Moment>;
  waiting: Map<string, Moment>;
  counts: { booked: number; cancelled: number; seen: number; missed: number };
}

// Everything that has happened until a minute.
export function standing(board: Board, minute: number): Standing {
  const found: Standing = { bookings: new Map(), waiting: new Map(), counts: { booked: 0, cancelled: 0, seen: 0, missed: 0 } };
  for (const one of board.moments) {
    if (one.minute > minute) break;
    if (one.change === 'waiting') found.waiting.set(one.booking, one);
    else if (one.change === 'cancelled') {
      found.bookings.delete(one.booking);
      found.waiting.delete(one.booking);
      found.counts.cancelled += 1;
    } else {
      const first = found.bookings.get(one.booking);
      // The words of a booking are those of the call that made it.
      found.bookings.set(one.booking, { ...one, episode: first?.episode ?? one.episode });
      if (one.leaves || one.change === 'arrived') found.waiting.delete(one.booking);
      if (one.change === 'booked') found.counts.booked += 1;
      if (one.change === 'seen' || one.change === 'missed') found.counts[one.change] += 1;
    }
  }
  return found;
}
