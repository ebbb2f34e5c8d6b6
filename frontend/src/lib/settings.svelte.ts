// What this browser remembers: language, theme, and the name of the person.

export type Language = 'en' | 'ko';
export type Theme = 'auto' | 'light' | 'dark';

function kept(name: string): string {
  try {
    return localStorage.getItem(`polyclinic.${name}`) ?? '';
  } catch {
    return '';
  }
}

function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`polyclinic.${name}`, value);
  } catch {
    // A browser that keeps nothing still works.
  }
}

const languages: Language[] = ['en', 'ko'];
const themes: Theme[] = ['auto', 'light', 'dark'];
const wanted = kept('language') || (navigator.language.toLowerCase().startsWith('ko') ? 'ko' : 'en');

export const settings = $state({
  language: languages.find((one) => one === wanted) ?? 'en',
  theme: themes.find((one) => one === kept('theme')) ?? 'auto',
  who: kept('who'),
});

function show(): void {
  document.documentElement.lang = settings.language;
  if (settings.theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = settings.theme;
}

export function setLanguage(language: Language): void {
  settings.language = language;
  keep('language', language);
  show();
}

export function nextTheme(): void {
  const at = themes.indexOf(settings.theme);
  settings.theme = themes[(at + 1) % themes.length] ?? 'auto';
  keep('theme', settings.theme);
  show();
}

export function setWho(who: string): void {
  settings.who = who;
  keep('who', who);
}

show();
