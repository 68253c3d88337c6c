/** Colours: op families, and a heat scale whose lightness alone orders it. */

export const FAMILIES = [
  'matrix',
  'norm',
  'activation',
  'arithmetic',
  'shape',
  'reduce',
  'quantise',
  'control',
  'other',
] as const;

export type Family = (typeof FAMILIES)[number];

export const FAMILY_LABELS: Readonly<Record<Family, string>> = {
  matrix: 'Matrix and convolution',
  norm: 'Normalisation',
  activation: 'Activation',
  arithmetic: 'Arithmetic and logic',
  shape: 'Shape and movement',
  reduce: 'Reduction and pooling',
  quantise: 'Precision',
  control: 'Control flow and functions',
  other: 'Other',
};

const PATTERNS: readonly (readonly [Family, RegExp])[] = [
  ['quantise', /^(De|Dynamic)?[Qq]uantize|^QLinear|^Cast|Integer$|^QGemm|^QAttention|^QEmbed/],
  ['matrix', /Conv|MatMul|Gemm|Einsum|Attention|^(LSTM|GRU|RNN)$|Deform/],
  ['norm', /Norm|^LRN$/],
  ['control', /^(If|Loop|Scan|SequenceMap)$/],
  ['reduce', /^Reduce|Pool|^Arg(Max|Min)$|^TopK$|^CumSum$|^(Sum|Mean|Max|Min)$|NonMaxSuppression/],
  [
    'activation',
    /(Relu|Elu|Sigmoid|Softmax|Softplus|Softsign|Tanh|Gelu|Swish|Silu|Mish|Selu|Celu|Erf|Hardmax|Shrink)$/i,
  ],
  [
    'shape',
    /^(Re)?[Ss]hape$|^Transpose$|^Concat|^Split|^Slice$|^Gather|^Scatter|^(Un)?[Ss]queeze$|^Flatten$|^Expand$|^Tile$|^Pad$|^Resize$|^Upsample$|^Identity$|SpaceToDepth|DepthToSpace|^ConstantOfShape$|^Range$|^Size$|^NonZero$|^OneHot$|^Trilu$|^Compress$|Sequence/,
  ],
  [
    'arithmetic',
    /^(Add|Sub|Mul|Div|Pow|Sqrt|Exp|Log|Neg|Abs|Reciprocal|Floor|Ceil|Round|Clip|Mod|Sign|Sin|Cos|Tan|A?(Sin|Cos|Tan)h?|And|Or|Xor|Not|Equal|Greater|Less|GreaterOrEqual|LessOrEqual|Where|IsNaN|IsInf|BitShift|Bitwise\w+|Fused?Mul\w*|Bias\w+)$/,
  ],
];

export function familyOf(op: string): Family {
  return PATTERNS.find(([, pattern]) => pattern.test(op))?.[0] ?? 'other';
}

export type Rgb = readonly [number, number, number];

/** Stripes, after Okabe and Ito: told apart with any colour vision, on white and on dark grey. */
export const FAMILY_COLOURS: Readonly<Record<'light' | 'dark', Readonly<Record<Family, string>>>> =
  {
    light: {
      matrix: '#0072b2',
      norm: '#009e73',
      activation: '#d55e00',
      arithmetic: '#8a8a8a',
      shape: '#c9b037',
      reduce: '#56b4e9',
      quantise: '#cc79a7',
      control: '#5b3a96',
      other: '#444444',
    },
    dark: {
      matrix: '#3d9fdb',
      norm: '#22b98d',
      activation: '#f0853d',
      arithmetic: '#9a9a9a',
      shape: '#dcc650',
      reduce: '#8accf2',
      quantise: '#e29cc3',
      control: '#a58ae0',
      other: '#c4c4c4',
    },
  };

/** From little to much; lightness falls (light theme) or rises (dark theme) all the way. */
const HEAT_STOPS: Readonly<Record<'light' | 'dark', readonly string[]>> = {
  light: ['#fff8e6', '#fde0a6', '#f8b467', '#e57f45', '#bf4a3c', '#862238', '#4d0f2c'],
  dark: ['#2a2630', '#4c2a44', '#7f3350', '#b8474c', '#e07b42', '#f5b45a', '#fdeab0'],
};

const HEAT_STEPS = 256;
const tables = new Map<'light' | 'dark', readonly string[]>();

/** The colour of a place between 0 and 1 on the heat scale. */
export function heat(place: number, theme: 'light' | 'dark'): string {
  const table = tables.get(theme) ?? buildTable(HEAT_STOPS[theme]);
  tables.set(theme, table);
  const step = Math.round(Math.min(1, Math.max(0, place)) * (HEAT_STEPS - 1));
  return table[step] ?? '#000000';
}

function buildTable(stops: readonly string[]): string[] {
  const labs = stops.map((stop) => toOklab(parseHex(stop)));
  return Array.from({ length: HEAT_STEPS }, (_, i) => {
    const place = (i / (HEAT_STEPS - 1)) * (labs.length - 1);
    const low = labs[Math.floor(place)] ?? [0, 0, 0];
    const high = labs[Math.min(labs.length - 1, Math.floor(place) + 1)] ?? low;
    const t = place - Math.floor(place);
    const mixed = low.map((value, k) => value + t * ((high[k] ?? value) - value)) as unknown as Rgb;
    return toHex(fromOklab(mixed));
  });
}

/** Where a value stands between two others, by its logarithm: from 0 to 1. */
export function logPlace(value: number, low: number, high: number): number {
  if (!(value > low) || !(low > 0)) return 0;
  return high > low ? Math.min(1, Math.log(value / low) / Math.log(high / low)) : 1;
}

export function parseHex(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1, 7), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** "rgb(1, 2, 3)" or "rgba(1, 2, 3, 0.87)" over a ground; what cannot be read gives `otherwise`. */
export function parseColour(colour: string, otherwise: Rgb, ground: Rgb = otherwise): Rgb {
  const parts = /^rgba?\(/.test(colour) ? (colour.match(/[\d.]+/g) ?? []).map(Number) : [];
  const [r, g, b, alpha = 1] = parts;
  return r === undefined || g === undefined || b === undefined
    ? otherwise
    : mix(ground, [r, g, b], alpha);
}

/** From one colour (0) to another (1). */
export function mix(from: Rgb, to: Rgb, part: number): Rgb {
  return [
    from[0] + part * (to[0] - from[0]),
    from[1] + part * (to[1] - from[1]),
    from[2] + part * (to[2] - from[2]),
  ];
}

export function toHex(rgb: Rgb): string {
  return `#${rgb
    .map((c) =>
      Math.round(Math.min(255, Math.max(0, c)))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

function toLinear(channel: number): number {
  const c = channel / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
}

function fromLinear(c: number): number {
  return 255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * Math.max(0, c) ** (1 / 2.4) - 0.055);
}

/** Relative luminance after WCAG 2. */
export function luminance([r, g, b]: Rgb): number {
  return 0.2126 * toLinear(r) + 0.7152 * toLinear(g) + 0.0722 * toLinear(b);
}

/** Contrast ratio after WCAG 2, from 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** Black or white, whichever reads better on a background: never under 4.5. */
export function textOn(background: string): '#000000' | '#ffffff' {
  return luminance(parseHex(background)) > 0.179 ? '#000000' : '#ffffff';
}

// Björn Ottosson's OKLab: equal steps look equal.
function toOklab([r, g, b]: Rgb): Rgb {
  const [lr, lg, lb] = [toLinear(r), toLinear(g), toLinear(b)];
  const l = Math.cbrt(0.4122214708 * lr + 0.5363325363 * lg + 0.0514459929 * lb);
  const m = Math.cbrt(0.2119034982 * lr + 0.6806995451 * lg + 0.1073969566 * lb);
  const s = Math.cbrt(0.0883024619 * lr + 0.2817188376 * lg + 0.6299787005 * lb);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function fromOklab([lightness, a, b]: Rgb): Rgb {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    fromLinear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    fromLinear(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    fromLinear(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}
