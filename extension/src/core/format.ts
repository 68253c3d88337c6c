/** Numbers as users read them: three significant digits, a unit always, ≈ before estimates. */

export type Unit = 'us' | 'share' | 'bytes' | 'count' | '';

/** "4.81", "0.00123", "1,230": three significant digits without an exponent. */
export function significant(value: number, digits = 3): string {
  if (!Number.isFinite(value))
    return Number.isNaN(value) ? '–' : String(value).replace('Infinity', '∞');
  if (value === 0) return '0';
  const rounded = Number(value.toPrecision(digits));
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(rounded))));
  return grouped(rounded.toFixed(Math.min(decimals, 12)));
}

/** Thousands set apart, as the kernel writes them: "12,345". */
export function grouped(number: number | string): string {
  return String(number).replace(/\B(?=(\d{3})+(?!\d)(?<!\.\d*))/g, ',');
}

interface Scale {
  readonly factor: number;
  readonly unit: string;
}

const SCALES: Readonly<Record<Unit, readonly Scale[]>> = {
  us: [
    { factor: 1e6, unit: 's' },
    { factor: 1e3, unit: 'ms' },
    { factor: 1, unit: 'µs' },
    { factor: 1e-3, unit: 'ns' },
  ],
  bytes: [
    { factor: 1e9, unit: 'GB' },
    { factor: 1e6, unit: 'MB' },
    { factor: 1e3, unit: 'kB' },
    { factor: 1, unit: 'B' },
  ],
  count: [
    { factor: 1e12, unit: 'T' },
    { factor: 1e9, unit: 'G' },
    { factor: 1e6, unit: 'M' },
    { factor: 1e4, unit: 'k' },
    { factor: 1, unit: '' },
  ],
  share: [{ factor: 0.01, unit: '%' }],
  '': [{ factor: 1, unit: '' }],
};

/** The largest unit in which a value is at least 1 after rounding. */
function scaleFor(value: number, unit: Unit): Scale {
  const scales = SCALES[unit];
  const size = Math.abs(Number(value.toPrecision(3)));
  const last = scales[scales.length - 1] ?? { factor: 1, unit: '' };
  if (size === 0) return scales.find((scale) => scale.factor === 1) ?? last;
  const scale = scales.find((s) => size >= s.factor) ?? last;
  return unit === 'count' && scale.unit === 'k' ? { factor: 1e3, unit: 'k' } : scale;
}

/** "4.81 ms", "8.5 %", "97.5 MB", "≈ 231 M". */
export function quantity(value: number, unit: Unit, isEstimate = false): string {
  if (!Number.isFinite(value)) return significant(value);
  const isWhole = Number.isInteger(value) && Math.abs(value) < 1e4;
  if (isWhole && unit === 'count') return whole(value, isEstimate);
  if (isWhole && unit === 'bytes' && Math.abs(value) < 1e3) return `${whole(value, isEstimate)} B`;
  const scale = scaleFor(value, unit);
  const digits = unit === 'share' && Math.abs(value) < 0.1 ? 2 : 3;
  const number = significant(value / scale.factor, digits);
  return `${isEstimate ? '≈ ' : ''}${number}${scale.unit ? ` ${scale.unit}` : ''}`;
}

function whole(value: number, isEstimate: boolean): string {
  return `${isEstimate ? '≈ ' : ''}${grouped(value)}`;
}

/** "4.81 ms (4.76-4.88)": the bounds in the unit of the value. */
export function interval(value: number, low: number, high: number, unit: Unit): string {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return quantity(value, unit);
  const { factor } = scaleFor(value, unit);
  return `${quantity(value, unit)} (${significant(low / factor)}-${significant(high / factor)})`;
}

/** "1st", "2nd", "3rd", "11th". */
export function ordinal(rank: number): string {
  const tens = rank % 100;
  const suffix = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][rank % 10] ?? 'th');
  return `${rank}${suffix}`;
}

/** "1 node", "12 nodes". */
export function plural(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** At most `limit` characters, the middle left out: both ends of a name tell most. */
export function elide(text: string, limit: number): string {
  const characters = text.length > limit ? Array.from(text) : [];
  if (characters.length <= limit) return text;
  if (limit <= 1) return limit === 1 ? '…' : '';
  const tail = Math.floor((limit - 1) / 2);
  const head = limit - 1 - tail;
  return `${characters.slice(0, head).join('')}…${tail > 0 ? characters.slice(-tail).join('') : ''}`;
}

/** One line for display: line breaks and control or direction characters made visible. */
export function oneLine(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u200e\u200f]/gu, '\ufffd');
}
