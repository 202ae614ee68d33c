import { foldText } from '../session/prompt-words.ts';

/** Characters of scripts that write words without spaces between them: each is a word of its own to the index. */
const UNSPACED =
  /[\u1100-\u11ff\u2e80-\u2fdf\u3005-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc]|[\ud840-\ud8bf][\udc00-\udfff]/g;
const BEYOND_ASCII = /[^\0-\x7f]/;

/** Text as it is compared: without case, accents, and differences of blank space. */
export function searchForm(text: string): string {
  return foldedForm(text.replace(/\s+/g, ' '));
}

let last: { readonly text: string; readonly form: string } | undefined;

/** Text without case and accents. A text is asked for several times in a row, and long ones take long. */
export function foldedForm(text: string): string {
  if (last?.text === text) return last.form;
  const form = BEYOND_ASCII.test(text) ? foldText(text) : text.toLowerCase();
  last = { text, form };
  return form;
}

/** Is each character a word of its own to the index of words, so that it finds the text wherever it stands? */
export function isUnspaced(text: string): boolean {
  return text.replace(UNSPACED, '') === '';
}

/** Text as the index of words takes it. */
export function spacedForm(text: string): string {
  return BEYOND_ASCII.test(text) ? foldText(text).replace(UNSPACED, ' $& ') : text;
}
