import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { ServerConnection } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import { Poll } from '@lumino/polling';
import { Widget } from '@lumino/widgets';
import type { MountedView } from '../../views/mount.js';
import { lineOf } from '../errors.js';
import { notice } from '../notice.js';
import { loadCore } from './core.js';
import { ServedModel } from './server.js';

const LOOK_EVERY_MS = 5_000;

/** A model in JupyterLab's main area: the view, or a sentence in its place. */
export class ModelPanel extends Widget {
  view: MountedView | null = null;
  private readonly place = document.createElement('div');
  private banner: HTMLElement | null = null;
  private served: ServedModel | null = null;
  private readonly watch: Poll;

  constructor(
    private readonly context: DocumentRegistry.Context,
    private readonly settings: ServerConnection.ISettings,
    private readonly trans: TranslationBundle,
  ) {
    super();
    this.addClass('onnxlab-lab');
    this.place.className = 'onnxlab-lab-place';
    this.node.append(this.place);
    this.node.tabIndex = -1;
    this.watch = new Poll({
      name: 'onnxlab:file',
      auto: false,
      factory: () => this.lookAtFile(),
      frequency: { interval: LOOK_EVERY_MS, backoff: true, max: 60_000 },
      standby: () => document.hidden || !this.isVisible,
    });
    void this.open();
  }

  /** Read the file again and show it as it is now. */
  async reload(): Promise<void> {
    this.setBanner(null);
    if (!this.view) this.say(this.trans.__('Reading %1 …', this.fileName));
    try {
      await this.draw();
    } catch (error) {
      this.fail(error);
    }
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.watch.dispose();
    this.view?.dispose();
    super.dispose();
  }

  protected override onActivateRequest(_message: Message): void {
    const focusable = this.place.querySelector<HTMLElement>('canvas, [tabindex="0"]');
    (focusable ?? this.node).focus();
  }

  private get fileName(): string {
    return this.context.localPath.split('/').pop() ?? this.context.localPath;
  }

  private async open(): Promise<void> {
    await this.context.ready;
    if (this.isDisposed) return;
    await this.reload();
    // Only now: the signal also fires while the context is being made ready.
    this.context.fileChanged.connect(() => void this.reload(), this);
    this.context.pathChanged.connect(() => void this.reload(), this); // the file's name is shown
    if (!this.isDisposed) void this.watch.start();
  }

  private async draw(): Promise<void> {
    const core = await loadCore();
    this.served ??= new ServedModel(
      () => this.context.localPath,
      this.settings,
      core,
      () => this.offerReload(),
    );
    const model = await this.served.document();
    if (this.isDisposed) return;
    if (this.view) {
      this.view.setDocument(model);
      return;
    }
    this.place.replaceChildren();
    this.view = core.mount(this.place, model, this.served);
  }

  private async lookAtFile(): Promise<void> {
    if (this.view && !this.banner && (await this.served?.hasChanged())) this.offerReload();
  }

  private fail(error: unknown): void {
    if (this.isDisposed) return;
    const action = { label: this.trans.__('Reload'), run: () => void this.reload() };
    if (this.view) this.setBanner(notice(lineOf(error), action));
    else this.place.replaceChildren(notice(lineOf(error), action));
  }

  private say(sentence: string): void {
    this.place.replaceChildren(notice(sentence));
  }

  private offerReload(): void {
    const sentence = this.trans.__(
      '%1 changed on disk, or is gone; this is how it was.',
      this.fileName,
    );
    const action = { label: this.trans.__('Reload'), run: () => void this.reload() };
    this.setBanner(notice(sentence, action));
  }

  private setBanner(banner: HTMLElement | null): void {
    if (this.isDisposed) return;
    this.banner?.remove();
    this.banner = banner;
    if (banner) this.node.prepend(banner);
  }
}
