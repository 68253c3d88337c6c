/** Colours and fonts of the canvas: mixed from the host's ground, ink and accent. */

import {
  FAMILY_COLOURS,
  type Family,
  mix,
  parseColour,
  parseHex,
  type Rgb,
  toHex,
} from '../core/colour.js';

export interface Theme {
  readonly kind: 'light' | 'dark';
  readonly codeFont: string;
  readonly background: string;
  readonly box: string;
  readonly boxBorder: string;
  readonly group: string;
  readonly groupAlternate: string;
  readonly groupBorder: string;
  readonly port: string;
  readonly text: string;
  readonly muted: string;
  readonly edge: string;
  readonly accent: string;
  readonly match: string;
}

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
const FAMILY_TINT = 0.12;

export function readTheme(root: HTMLElement): Theme {
  const style = getComputedStyle(root);
  const ground = parseColour(style.backgroundColor, WHITE);
  const ink = parseColour(style.color, BLACK, ground);
  const accent = parseColour(probe(root, 'var(--onnxlab-accent)'), ink, ground);
  const codeFont = style.getPropertyValue('--onnxlab-code-font').trim() || 'monospace';
  return makeTheme(ground, ink, accent, codeFont);
}

export function makeTheme(ground: Rgb, ink: Rgb, accent: Rgb, codeFont = 'monospace'): Theme {
  const kind = isDark(ground) ? 'dark' : 'light';
  const inked = (part: number) => toHex(mix(ground, ink, part));
  return {
    kind,
    codeFont,
    background: toHex(ground),
    box: kind === 'dark' ? inked(0.1) : toHex(mix(ground, WHITE, 0.8)),
    boxBorder: inked(0.38),
    group: inked(0.035),
    groupAlternate: inked(0.07),
    groupBorder: inked(0.17),
    port: inked(0.06),
    text: toHex(ink),
    muted: inked(0.74),
    edge: inked(0.36),
    accent: toHex(accent),
    match: kind === 'dark' ? '#e0a030' : '#b35900',
  };
}

/** The ground of a box that shows its operator's family: a breath of its colour. */
export function familyGround(theme: Theme, family: Family): string {
  return toHex(mix(parseHex(theme.box), parseHex(FAMILY_COLOURS[theme.kind][family]), FAMILY_TINT));
}

/** A colour as the browser resolves it. */
function probe(root: HTMLElement, colour: string): string {
  const element = root.ownerDocument.createElement('span');
  element.style.color = colour;
  root.append(element);
  const resolved = getComputedStyle(element).color;
  element.remove();
  return resolved;
}

function isDark([r, g, b]: Rgb): boolean {
  return 0.299 * r + 0.587 * g + 0.114 * b < 128;
}
