/** Colours and fonts of the canvas, read from the custom properties of `core.css`. */

export interface Theme {
  readonly kind: 'light' | 'dark';
  readonly uiFont: string;
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

export function readTheme(root: HTMLElement): Theme {
  const style = getComputedStyle(root);
  const read = (name: string) => style.getPropertyValue(`--onnxlab-${name}`).trim();
  return {
    kind: isDark(style.backgroundColor) ? 'dark' : 'light',
    uiFont: read('ui-font'),
    codeFont: read('code-font'),
    background: read('canvas'),
    box: read('box'),
    boxBorder: read('box-border'),
    group: read('group'),
    groupAlternate: read('group-alternate'),
    groupBorder: read('group-border'),
    port: read('port'),
    text: read('text'),
    muted: read('muted'),
    edge: read('edge'),
    accent: read('accent'),
    match: read('match'),
  };
}

function isDark(colour: string): boolean {
  const [r = 255, g = 255, b = 255] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return 0.299 * r + 0.587 * g + 0.114 * b < 128;
}
