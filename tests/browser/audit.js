/* Texts inside `root` that are hard to read or cut off, as sentences. Evaluated in the page. */
(root) => {
  const paint = document.createElement('canvas').getContext('2d', { willReadFrequently: true });

  /** Any CSS colour as [r, g, b, a] from 0 to 1, over what is below it. */
  function over(colour, below) {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = [...paint.getImageData(0, 0, 1, 1).data].map((part) => part / 255);
    return [r, g, b].map((part, i) => part * a + (below?.[i] ?? 1) * (1 - a));
  }

  function backgroundOf(element) {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(getComputedStyle(e).backgroundColor);
    return layers.reverse().reduce((below, colour) => over(colour, below), [1, 1, 1]);
  }

  function luminance(colour) {
    const [r, g, b] = colour.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  function contrast(element) {
    const background = backgroundOf(element);
    const text = over(getComputedStyle(element).color, background);
    const [dark, light] = [luminance(background), luminance(text)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  }

  function isShown(element) {
    return element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  }

  /** Beyond the edge of a part that neither scrolls nor says by an ellipsis that there is more. */
  function isCut(element) {
    const box = element.getBoundingClientRect();
    if (box.width < 2) return false; // for screen readers only
    for (let e = element; e && e !== root.parentElement; e = e.parentElement) {
      const style = getComputedStyle(e);
      if (style.textOverflow === 'ellipsis' || /auto|scroll/.test(style.overflowX)) return false;
      const edge = e.getBoundingClientRect();
      if (style.overflowX !== 'visible' && box.right > edge.right + 1) return true;
    }
    return box.right > document.documentElement.clientWidth + 1;
  }

  const problems = [];
  for (const element of root.querySelectorAll('*')) {
    const own = [...element.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE);
    const text = own.map((n) => n.data).join('').trim();
    if (!text || !isShown(element) || element.closest('svg, option, :disabled, noscript')) continue;
    const ratio = contrast(element);
    if (ratio < 4.5) problems.push(`contrast ${ratio.toFixed(2)}: ${text.slice(0, 60)}`);
    if (isCut(element)) problems.push(`cut off: ${text.slice(0, 60)}`);
  }
  return problems;
}
