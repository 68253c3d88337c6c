/** Call back when the page changes between light and dark, whichever notebook it is. */
export function onThemeChange(callback: () => void): () => void {
  const observer = new MutationObserver(callback);
  const attributeFilter = [
    'data-jp-theme-light',
    'data-jp-theme-name',
    'data-theme',
    'class',
    'data-vscode-theme-kind',
  ];
  for (const element of [document.documentElement, document.body]) {
    observer.observe(element, { attributes: true, attributeFilter });
  }
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', callback);
  return () => {
    observer.disconnect();
    system.removeEventListener('change', callback);
  };
}
