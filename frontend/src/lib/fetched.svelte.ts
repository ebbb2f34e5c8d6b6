import { onMount } from 'svelte';
import { get } from './api';

/** What a page asks for once, when it opens: null until it is there, or the fault. */
export function fetched<T>(path: string): { value: T | null; fault: string } {
  const found = $state<{ value: T | null; fault: string }>({ value: null, fault: '' });
  onMount(() => {
    get<T>(path).then(
      (value) => (found.value = value),
      (error: Error) => (found.fault = error.message),
    );
  });
  return found;
}
