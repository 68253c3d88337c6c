/** The trait that widgets of one model share: the rows of the selected nodes. */

interface Model {
  get(name: 'selected'): number[];
  set(name: 'selected', rows: number[]): void;
  save_changes(): void;
}

/** Tell the kernel, and the widgets linked with this one, what is selected here. */
export function tellSelected(model: Model, rows: number[]): void {
  const before = model.get('selected');
  if (rows.length === before.length && rows.every((row, i) => row === before[i])) return;
  model.set('selected', rows);
  model.save_changes();
}
