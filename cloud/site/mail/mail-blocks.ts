/** The parts of a mail, from which its text and its HTML are made: both say the same, in the same order. */
import type { Accent } from '../../../shared/accent.js';

export interface MailText {
  look: MailLook;
  /** BCP 47 */
  language: string;
  heading: string;
  blocks: readonly MailBlock[];
}

/** The parts of an account's face that the HTML alone shows. */
export interface MailLook {
  /** What the logo is called; null: there is none. */
  logo: string | null;
  /** On light grounds and on dark ones. */
  light: Accent;
  dark: Accent;
}

/** The logo, as one part of the message names another. */
export const LOGO_CID = 'logo@account';

/** Of an account that chose no colour. */
export const PLAIN_ACCENTS = {
  light: { accent: '#0b57d0', ink: '#ffffff' },
  dark: { accent: '#8ab4f8', ink: '#16181c' },
} as const;

export type MailBlock =
  | { kind: 'paragraph'; text: string }
  | { kind: 'button'; label: string; url: string }
  | { kind: 'table'; rows: readonly (readonly [label: string, value: string])[] }
  /** At the end, in small letters. */
  | { kind: 'note'; text: string }
  | { kind: 'noteLink'; label: string; url: string };

/** Makes one line of a text that people gave: a line break in a name must not begin anything of its own. */
export const oneLineOf = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

export function plainText({ heading, blocks }: MailText): string {
  return `${[heading, ...blocks.map(textOf)].join('\n\n')}\n`;
}

function textOf(block: MailBlock): string {
  switch (block.kind) {
    case 'paragraph':
    case 'note':
      return block.text;
    case 'button':
    case 'noteLink':
      return `${block.label}:\n${block.url}`;
    case 'table':
      return block.rows.map(([label, value]) => `${label}: ${value}`).join('\n');
  }
}

/** Mail programs without style sheets use the styles of the elements. The sheet sets the colours for dark mode. */
const sheetOf = ({ accent, ink }: Accent): string => `@media (prefers-color-scheme: dark) {
.page { background: #16181c !important } .card { background: #22252b !important } .card, .card td { color: #e8eaed !important }
.button { background: ${accent} !important; color: ${ink} !important } .note, .note a, .label { color: #9aa0a6 !important }
}`;
const FONT = 'font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';
const NOTE = 'margin:0 0 8px;font-size:13px;line-height:1.5;color:#5f6368';

/** Tables lay out the page, because that is what all clients understand. Nothing is loaded from anywhere. */
export function htmlText({ language, heading, blocks, look }: MailText): string {
  return `<!doctype html>
<html lang="${inHtml(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${inHtml(heading)}</title>
<style>${sheetOf(look.dark)}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f1f3f4">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f1f3f4">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:#ffffff;border-radius:12px">
<tr><td style="padding:28px 24px;${FONT};font-size:16px;line-height:1.5;color:#202124;overflow-wrap:anywhere">
${logoOf(look)}<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${inHtml(heading)}</h1>
${blocks.map((block) => htmlOf(block, look.light)).join('\n')}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}

/** The logo stands on white, also in dark mode: it was drawn for paper. */
const logoOf = ({ logo }: MailLook): string =>
  logo === null
    ? ''
    : `<p style="margin:0 0 16px"><img src="cid:${LOGO_CID}" alt="${inHtml(logo)}" height="48" style="height:48px;width:auto;max-width:240px;background:#ffffff;border-radius:6px;padding:4px"></p>
`;

function htmlOf(block: MailBlock, { accent, ink }: Accent): string {
  switch (block.kind) {
    case 'paragraph':
      return `<p style="margin:0 0 16px">${inHtml(block.text)}</p>`;
    case 'button':
      return `<p style="margin:0 0 16px"><a class="button" href="${inHtml(block.url)}" style="display:inline-block;padding:14px 24px;border-radius:8px;background:${accent};color:${ink};font-weight:600;text-decoration:none">${inHtml(block.label)}</a></p>`;
    case 'table':
      return `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:0 0 16px;${FONT};font-size:16px;line-height:1.5">
${block.rows
  .map(
    ([label, value]) =>
      `<tr><td class="label" style="padding:2px 16px 2px 0;vertical-align:top;color:#5f6368">${inHtml(label)}</td><td style="padding:2px 0;vertical-align:top">${inHtml(value)}</td></tr>`,
  )
  .join('\n')}
</table>`;
    case 'note':
      return `<p class="note" style="${NOTE}">${inHtml(block.text)}</p>`;
    case 'noteLink':
      return `<p class="note" style="${NOTE}"><a href="${inHtml(block.url)}" style="color:#5f6368">${inHtml(block.label)}</a></p>`;
  }
}

export const inHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
