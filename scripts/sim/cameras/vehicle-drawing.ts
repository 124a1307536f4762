/** A car and its plate as SVG. The same plate always gives the same picture. */
import { GLYPH_COLUMNS, GLYPH_ROWS, glyphDots } from './plate-glyphs.js';

/** Words of the vendor for body colours. */
const BODY_COLORS = {
  white: '#e8e8e6',
  gray: '#8d9297',
  black: '#26282b',
  red: '#a8201f',
  blue: '#1f4e9c',
  green: '#2f6b3a',
  yellow: '#d9b21f',
  brown: '#6b4a2f',
} as const;
export type BodyColor = keyof typeof BODY_COLORS;
const COLOR_NAMES = Object.keys(BODY_COLORS) as BodyColor[];

export const SCENE = { width: 1280, height: 720 } as const;
/** The plate's box in the scene. */
export const SCENE_PLATE = { x: 534, y: 470, width: 212, height: 48 } as const;
export const CROP = { width: 424, height: 96 } as const;

/** The wished colour if it can be drawn; else a colour that follows from the plate. */
export function bodyColor(plate: string, wish: string | undefined): BodyColor {
  const known = COLOR_NAMES.find((name) => name === wish?.toLowerCase());
  if (known !== undefined) return known;
  const sum = Array.from(plate).reduce((total, letter) => (total * 31 + (letter.codePointAt(0) ?? 0)) % 65_521, 7);
  return COLOR_NAMES[sum % COLOR_NAMES.length] ?? 'white';
}

/** The plate alone, filling its picture. */
export function plateSvg(plate: string): string {
  return svg(CROP, plateShapes(plate, { x: 0, y: 0, ...CROP }));
}

/** A car on the lane, seen by the camera at the barrier. */
export function sceneSvg(plate: string, color: BodyColor): string {
  const paint = BODY_COLORS[color];
  return svg(
    SCENE,
    `<rect width="1280" height="300" fill="#9fb4c4"/>
<rect y="300" width="1280" height="420" fill="#55585c"/>
<path d="M500 300 L180 720 M780 300 L1100 720" stroke="#d8d8d0" stroke-width="10"/>
<ellipse cx="640" cy="600" rx="330" ry="36" fill="#3a3c3f"/>
<rect x="372" y="500" width="84" height="100" rx="16" fill="#17181a"/>
<rect x="824" y="500" width="84" height="100" rx="16" fill="#17181a"/>
<path d="M430 350 L490 210 Q496 198 512 198 L768 198 Q784 198 790 210 L850 350 Z" fill="${paint}"/>
<path d="M458 346 L506 230 Q509 222 520 222 L760 222 Q771 222 774 230 L822 346 Z" fill="#2c3a46"/>
<path d="M340 560 L352 410 Q360 346 430 344 L850 344 Q920 346 928 410 L940 560 Z" fill="${paint}"/>
<rect x="380" y="392" width="110" height="48" rx="20" fill="#f4f1d6"/>
<rect x="790" y="392" width="110" height="48" rx="20" fill="#f4f1d6"/>
<rect x="520" y="390" width="240" height="44" rx="8" fill="#1d1f22"/>
<rect x="352" y="536" width="576" height="34" rx="10" fill="#2a2c2f"/>
${plateShapes(plate, SCENE_PLATE)}`,
  );
}

function plateShapes(plate: string, box: { x: number; y: number; width: number; height: number }): string {
  const letters = Array.from(plate);
  const columns = Math.max(1, letters.length) * (GLYPH_COLUMNS + 1) - 1;
  // As large as the margins allow, and centred.
  const dot = Math.min((box.width * 0.86) / columns, (box.height * 0.7) / GLYPH_ROWS);
  const left = box.x + (box.width - columns * dot) / 2;
  const top = box.y + (box.height - GLYPH_ROWS * dot) / 2;
  const dots = letters.flatMap((letter, index) =>
    glyphDots(letter).map(({ column, row }) => {
      const x = left + (index * (GLYPH_COLUMNS + 1) + column) * dot;
      return `M${x.toFixed(2)} ${(top + row * dot).toFixed(2)}h${dot.toFixed(2)}v${dot.toFixed(2)}h-${dot.toFixed(2)}z`;
    }),
  );
  const rim = box.height / 24;
  return `<rect x="${box.x + rim / 2}" y="${box.y + rim / 2}" width="${box.width - rim}" height="${box.height - rim}" rx="${box.height / 12}" fill="#f7f7f2" stroke="#15161a" stroke-width="${rim}"/>
<path d="${dots.join('')}" fill="#15161a"/>`;
}

function svg(size: { width: number; height: number }, shapes: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}">${shapes}</svg>`;
}
