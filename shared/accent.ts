/**
 * The colour that an account chose, as it can be read: on a light ground as dark as needed, on a dark one as light as needed. No one colour has
 * enough contrast with both. Pure; pages and mails use it.
 */

/** The darkest of the light grounds and the lightest of the dark ones (`shared/page/page.css`, the guest's page, mails). */
const GROUNDS = { light: '#eceee9', dark: '#232c33' } as const;
/** Text is read in sunlight. */
const CONTRAST_MIN = 7;
const STEPS = 100;

export const ACCENT = /^#[0-9a-f]{6}$/;

/** A colour, and that of the text on it. */
export interface Accent {
  accent: string;
  ink: string;
}

type Rgb = readonly [number, number, number];

const rgbOf = (colour: string): Rgb => {
  const number = Number.parseInt(colour.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
};
const textOf = (rgb: Rgb): string => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

/** Relative luminance (WCAG 2). */
function luminanceOf(colour: string): number {
  const [red, green, blue] = rgbOf(colour).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of two colours (WCAG 2): 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [first, second] = [luminanceOf(one), luminanceOf(other)];
  const [lighter, darker] = first > second ? [first, second] : [second, first];
  return (lighter + 0.05) / (darker + 0.05);
}

/** Mixes a colour with black or white until text in it can be read on the ground. */
function readableOn(ground: string, colour: string, towards: Rgb): string {
  const from = rgbOf(colour);
  for (let step = 0; step <= STEPS; step++) {
    const share = step / STEPS;
    const mixed = textOf(from.map((part, at) => part + ((towards[at] ?? 0) - part) * share) as unknown as Rgb);
    if (contrastOf(mixed, ground) >= CONTRAST_MIN) return mixed;
  }
  return textOf(towards);
}

/** @param colour `#rrggbb`, lower case. @returns the colour for light grounds and for dark ones; each is the colour itself where it can be read */
export function accentsOf(colour: string): { light: Accent; dark: Accent } {
  return {
    light: { accent: readableOn(GROUNDS.light, colour, [0, 0, 0]), ink: '#ffffff' },
    dark: { accent: readableOn(GROUNDS.dark, colour, [255, 255, 255]), ink: '#000000' },
  };
}
