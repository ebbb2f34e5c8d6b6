// Who one is, and which places there are to see. On one's own machine there is no login.
import { get, send } from './api';

export type Me = { name: string; role: string; local: boolean; places: string[] };

export const me = $state<{ known: Me | null }>({ known: null });

export async function findOut(): Promise<void> {
  me.known = await get<Me>('/api/me');
}

export async function logIn(name: string, password: string): Promise<void> {
  await send('/api/login', { name, password });
  await findOut();
}

export async function logOut(): Promise<void> {
  await send('/api/logout');
  location.assign('/');
}

// A place is shown until the server says that it is not for this person.
export const sees = (place: string) => !me.known || me.known.local || me.known.places.includes(place);
