// The API: every answer is JSON, every change has a key, so that asking again after a lost answer changes nothing twice.

export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export function newKey(): string {
  return crypto.randomUUID ? crypto.randomUUID() : `k-${Date.now()}-${Math.random().toString(36).slice(2)}`;
}

async function read<T>(answer: Response): Promise<T> {
  const text = await answer.text();
  let body: unknown = null;
  try {
    body = text ? JSON.parse(text) : null;
  } catch {
    body = null;
  }
  if (!answer.ok) {
    const told = body && typeof body === 'object' && 'detail' in body ? String(body.detail) : text;
    throw new Refused(answer.status, told || `HTTP ${answer.status}`);
  }
  return body as T;
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

// A server that is starting again is asked again for a while.
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let wait = 250; ; wait *= 2) {
    try {
      return await ask();
    } catch {
      if (wait > 8000) throw new Refused(0, 'the server cannot be reached: check that it runs, and try again');
      await pause(wait);
    }
  }
}

// A browser remembers for good that a part of these pages could not be loaded. So the part is loaded only once the server
// answers.
export async function part<T>(load: () => Promise<T>): Promise<T> {
  await patiently(() => fetch('/', { cache: 'no-store' }));
  return load();
}

export async function get<T>(path: string): Promise<T> {
  return read<T>(await patiently(() => fetch(path, { headers: { Accept: 'application/json' } })));
}

export async function send<T>(path: string, body: unknown = {}, key = newKey(), method = 'POST'): Promise<T> {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
  return read<T>(await patiently(() => fetch(path, { method, headers, body: JSON.stringify(body) })));
}

// A question that changes nothing, too long for an address.
export async function ask<T>(path: string, body: unknown): Promise<T> {
  const headers = { 'Content-Type': 'application/json' };
  return read<T>(await patiently(() => fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })));
}

// A stream of events that comes back by itself; `seen` says after which number to go on.
export function listen(
  path: string,
  seen: () => number,
  heard: Record<string, (body: never) => void>,
  lost: (is: boolean) => void = () => {},
): () => void {
  let source: EventSource | null = null;
  let timer = 0;
  let ended = false;
  let wait = 500;

  function open(): void {
    if (ended) return;
    source = new EventSource(`${path}${path.includes('?') ? '&' : '?'}after=${seen()}`);
    source.onopen = () => {
      wait = 500;
      lost(false);
    };
    for (const [kind, take] of Object.entries(heard)) {
      source.addEventListener(kind, (event) => take(JSON.parse((event as MessageEvent<string>).data) as never));
    }
    source.onerror = () => {
      source?.close();
      if (ended) return;
      lost(true);
      timer = window.setTimeout(open, wait);
      wait = Math.min(wait * 2, 5000);
    };
  }

  open();
  return () => {
    ended = true;
    clearTimeout(timer);
    source?.close();
  };
}
