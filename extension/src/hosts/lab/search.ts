import {
  type ISearchMatch,
  type ISearchProvider,
  SearchProvider,
} from '@jupyterlab/documentsearch';
import type { Widget } from '@lumino/widgets';
import { ModelDocument } from './document.js';

/** JupyterLab's own search box (Ctrl+F), by the view's search. */
export class ModelSearchProvider extends SearchProvider<ModelDocument> implements ISearchProvider {
  readonly isReadOnly = true;
  private total = 0;
  private index = -1;

  static isApplicable(widget: Widget): widget is ModelDocument {
    return widget instanceof ModelDocument;
  }

  static createNew(widget: Widget): ModelSearchProvider {
    return new ModelSearchProvider(widget as ModelDocument);
  }

  override get currentMatchIndex(): number | null {
    return this.index < 0 ? null : this.index;
  }

  override get matchesCount(): number {
    return this.total;
  }

  async startQuery(query: RegExp): Promise<void> {
    const { view } = this.widget.content;
    view?.search(textOf(query));
    this.take(view?.step(1));
  }

  async endQuery(): Promise<void> {
    this.take(this.widget.content.view?.search(''));
  }

  async clearHighlight(): Promise<void> {
    await this.endQuery();
  }

  async highlightNext(): Promise<ISearchMatch | undefined> {
    return this.step(1);
  }

  async highlightPrevious(): Promise<ISearchMatch | undefined> {
    return this.step(-1);
  }

  async replaceCurrentMatch(): Promise<boolean> {
    return false;
  }

  async replaceAllMatches(): Promise<boolean> {
    return false;
  }

  private step(delta: number): ISearchMatch | undefined {
    this.take(this.widget.content.view?.step(delta));
    return this.index < 0 ? undefined : { text: '', position: this.index };
  }

  private take(found: { total: number; index: number } | undefined): void {
    this.total = found?.total ?? 0;
    this.index = this.total > 0 ? (found?.index ?? -1) : -1;
    this._stateChanged.emit();
  }
}

/** The text that the user typed: JupyterLab hands it on as an expression with its signs escaped. */
export function textOf(query: RegExp): string {
  return query.source.replace(/\\([-[\]/{}()*+?.\\^$|])/g, '$1');
}
