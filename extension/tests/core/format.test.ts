import { describe, expect, it } from 'vitest';
import {
  elide,
  interval,
  oneLine,
  ordinal,
  plural,
  quantity,
  significant,
} from '../../src/core/format.js';

describe('numbers', () => {
  it.each([
    [0.41234, '0.412'],
    [4.805, '4.80'],
    [48.06, '48.1'],
    [999.6, '1,000'],
    [0.00012345, '0.000123'],
    [1234567, '1,230,000'],
    [0, '0'],
    [Number.NaN, '–'],
  ])('%s has three significant digits: %s', (value, text) => expect(significant(value)).toBe(text));

  it.each([
    [4810, 'us', '4.81 ms'],
    [0.9, 'us', '900 ns'],
    [999.7, 'us', '1.00 ms'],
    [2_500_000, 'us', '2.50 s'],
    [97_500_000, 'bytes', '97.5 MB'],
    [12, 'count', '12'],
    [8, 'bytes', '8 B'],
    [25_600_000, 'count', '25.6 M'],
    [0.085, 'share', '8.5 %'],
    [0.4567, 'share', '45.7 %'],
    [0, 'us', '0 µs'],
  ] as const)('%s %s is %s', (value, unit, text) => expect(quantity(value, unit)).toBe(text));

  it('that are estimates say so', () =>
    expect(quantity(231_000_000, 'count', true)).toBe('≈ 231 M'));

  it('with an interval keep one unit', () => {
    expect(interval(4810, 4760, 4880, 'us')).toBe('4.81 ms (4.76-4.88)');
    expect(interval(1010, 990, 1030, 'us')).toBe('1.01 ms (0.990-1.03)');
    expect(interval(4810, Number.NaN, Number.NaN, 'us')).toBe('4.81 ms');
  });

  it('count things', () => {
    expect([1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ordinal).join(' ')).toBe(
      '1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 111th',
    );
    expect(plural(1, 'node')).toBe('1 node');
    expect(plural(12_345, 'node')).toBe('12,345 nodes');
  });
});

describe('names', () => {
  it('lose their middle, never a half character', () => {
    expect(elide('short', 10)).toBe('short');
    expect(elide('abcdefghij', 5)).toBe('ab…ij');
    expect(elide('😀'.repeat(20), 5)).toBe('😀😀…😀😀');
    expect(elide('abc', 0)).toBe('');
  });

  it('show control and direction characters instead of obeying them', () => {
    expect(oneLine('a\nb\u202ec\u0000')).toBe('a b\ufffdc\ufffd');
  });
});
