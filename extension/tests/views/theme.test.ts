import { describe, expect, it } from 'vitest';
import { contrast, FAMILIES, parseHex, type Rgb } from '../../src/core/colour.js';
import { familyGround, makeTheme, type Theme } from '../../src/views/theme.js';

/** Ground, ink and accent: ours and JupyterLab's, light and dark. */
const HOSTS: readonly (readonly [string, Rgb, Rgb, Rgb])[] = [
  ['light', parseHex('#ffffff'), parseHex('#1b1f24'), parseHex('#0a62c4')],
  ['dark', parseHex('#15181c'), parseHex('#e8eaed'), parseHex('#6cb0ff')],
  ['JupyterLab light', parseHex('#ffffff'), parseHex('#000000'), parseHex('#1976d2')],
  ['JupyterLab dark', parseHex('#212121'), parseHex('#ffffff'), parseHex('#64b5f6')],
];

function grounds(theme: Theme): string[] {
  const plain = [theme.background, theme.box, theme.group, theme.groupAlternate, theme.port];
  return [...plain, ...FAMILIES.map((family) => familyGround(theme, family))];
}

describe.each(HOSTS)('on %s', (_, ground, ink, accent) => {
  const theme = makeTheme(ground, ink, accent);

  it('all texts can be read on all that they stand on', () => {
    for (const under of grounds(theme)) {
      for (const text of [theme.text, theme.muted]) {
        expect(
          contrast(parseHex(text), parseHex(under)),
          `${text} on ${under}`,
        ).toBeGreaterThanOrEqual(4.5);
      }
    }
  });

  it('marks stand out from what they mark', () => {
    for (const mark of [theme.accent, theme.match]) {
      expect(contrast(parseHex(mark), parseHex(theme.background))).toBeGreaterThanOrEqual(3);
    }
  });
});
