export interface Action {
  readonly label: string;
  readonly run: () => void;
}

/** A sentence in the place where a result would be, with a button where something can be done about it. */
export function notice(sentence: string, action?: Action): HTMLElement {
  const element = document.createElement('div');
  element.className = 'onnxlab-notice';
  element.setAttribute('role', 'status');
  const text = document.createElement('span');
  text.textContent = sentence;
  element.append(text);
  if (action) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = action.label;
    button.addEventListener('click', action.run);
    element.append(button);
  }
  return element;
}
