import { describe, expect, it } from 'vitest';
import {
  contrast,
  FAMILIES,
  FAMILY_COLOURS,
  familyOf,
  heat,
  logPlace,
  luminance,
  mix,
  parseColour,
  parseHex,
  textOn,
} from '../../src/core/colour.js';

const THEMES = ['light', 'dark'] as const;
const PLACES = Array.from({ length: 101 }, (_, i) => i / 100);

describe('the heat scale', () => {
  it.each(THEMES)('carries readable text at every place (%s)', (theme) => {
    for (const place of PLACES) {
      const ground = heat(place, theme);
      expect(contrast(parseHex(ground), parseHex(textOn(ground)))).toBeGreaterThanOrEqual(4.5);
    }
  });

  it.each(THEMES)('is ordered by lightness alone, for any colour vision (%s)', (theme) => {
    const steps = PLACES.map((place) => luminance(parseHex(heat(place, theme))));
    const sign = theme === 'light' ? -1 : 1;
    for (let i = 1; i < steps.length; i++)
      expect(sign * ((steps[i] ?? 0) - (steps[i - 1] ?? 0))).toBeGreaterThanOrEqual(0);
  });

  it('is logarithmic', () => {
    expect(logPlace(1000, 1, 1000)).toBe(1);
    expect(logPlace(10, 1, 1000)).toBeCloseTo(1 / 3);
    expect(logPlace(0.001, 1, 1000)).toBe(0);
    expect(logPlace(Number.NaN, 1, 1000)).toBe(0);
    expect(logPlace(5, 0, 0)).toBe(0);
  });
});

describe('families', () => {
  it.each([
    ['Conv', 'matrix'],
    ['LayerNormalization', 'norm'],
    ['BatchNormalization', 'norm'],
    ['FastGelu', 'activation'],
    ['Softmax', 'activation'],
    ['Add', 'arithmetic'],
    ['Reshape', 'shape'],
    ['Unsqueeze', 'shape'],
    ['ReduceMean', 'reduce'],
    ['GlobalAveragePool', 'reduce'],
    ['DequantizeLinear', 'quantise'],
    ['MatMulInteger', 'quantise'],
    ['Loop', 'control'],
    ['MyOwnOp', 'other'],
  ])('%s is %s', (op, family) => expect(familyOf(op)).toBe(family));

  it('stand out from the ground of both themes', () => {
    for (const family of FAMILIES) {
      expect(contrast(parseHex(FAMILY_COLOURS.light[family]), [255, 255, 255])).toBeGreaterThan(
        1.9,
      );
      expect(contrast(parseHex(FAMILY_COLOURS.dark[family]), parseHex('#15181c'))).toBeGreaterThan(
        3,
      );
    }
  });
});

describe('colours of the host', () => {
  it('are read with their transparency', () => {
    expect(parseColour('rgb(10, 20, 30)', [0, 0, 0])).toEqual([10, 20, 30]);
    const ink = parseColour('rgba(0, 0, 0, 0.5)', [1, 1, 1], [255, 255, 255]);
    expect(ink.map(Math.round)).toEqual([128, 128, 128]);
    expect(parseColour('no colour', [1, 2, 3])).toEqual([1, 2, 3]);
  });

  it('give muted text that can be read', () => {
    for (const [ground, ink] of [
      ['#ffffff', '#1b1f24'],
      ['#15181c', '#e8eaed'],
      ['#ffffff', '#212121'],
      ['#212121', '#ffffff'],
    ] as const) {
      expect(
        contrast(parseHex(ground), mix(parseHex(ground), parseHex(ink), 0.68)),
      ).toBeGreaterThanOrEqual(4.5);
    }
  });
});
