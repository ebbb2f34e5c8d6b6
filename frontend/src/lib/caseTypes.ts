// What the API of cases answers with.
import type { FormRow, Values } from './types';

export interface CaseKind {
  clinic: string;
  clinic_title: string;
  kind: string;
  title: string;
}
export interface OwnCase {
  clinic: string;
  kind: string;
  name: string;
  path: string;
  about: string;
  changed_ms: number;
  fault: string;
}
export interface CasesShown {
  folder: string;
  kinds: CaseKind[];
  cases: OwnCase[];
}
export interface CaseForm extends CaseKind {
  named_by: string;
  rows: FormRow[];
  examples: { name: string; about: string }[];
}
export interface CaseOpened {
  kind: string;
  values: Values;
  digest: string;
  path: string;
  case: string;
}
export interface Checked {
  valid: boolean;
  faults: { at: (string | number)[]; text: string }[];
  name: string;
  text: string;
}

// A form that nobody has filled in: what must be there is there and empty.
export function blank(rows: FormRow[]): Values {
  const values: Values = {};
  for (const row of rows) {
    if (row.kind === 'group' && (row.required || row.demanded)) values[row.name] = blank(row.rows);
    else if (row.kind === 'groups') values[row.name] = row.required ? [blank(row.rows)] : [];
    else if (row.kind === 'texts' || row.kind === 'several') values[row.name] = [];
    else if (row.kind === 'pairs') values[row.name] = {};
    else if ((row.kind === 'text' || row.kind === 'line') && row.demanded) values[row.name] = '';
  }
  return values;
}

// As the server takes it: what was left empty and has a default is left out.
export function given(rows: FormRow[], values: Values): Values {
  const found: Values = { ...values };
  for (const row of rows) {
    const value = found[row.name];
    const empty = value === undefined || value === null || (value === '' && !row.demanded);
    if (empty) delete found[row.name];
    else if (row.kind === 'group') found[row.name] = given(row.rows, value as Values);
    else if (row.kind === 'groups') found[row.name] = (value as Values[]).map((one) => given(row.rows, one));
  }
  return found;
}
