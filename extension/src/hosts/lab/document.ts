import { ABCWidgetFactory, type DocumentRegistry, DocumentWidget } from '@jupyterlab/docregistry';
import type { ServerConnection } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ModelPanel } from './panel.js';

export class ModelDocument extends DocumentWidget<ModelPanel> {
  constructor(options: DocumentWidget.IOptions<ModelPanel>) {
    super(options);
    this.addClass('onnxlab-lab-document');
    this.toolbar.hide(); // the view has its own
  }
}

export class ModelDocumentFactory extends ABCWidgetFactory<ModelDocument> {
  constructor(
    options: DocumentRegistry.IWidgetFactoryOptions<ModelDocument>,
    private readonly settings: ServerConnection.ISettings,
    private readonly trans: TranslationBundle,
  ) {
    super(options);
  }

  protected createNewWidget(context: DocumentRegistry.Context): ModelDocument {
    return new ModelDocument({
      context,
      content: new ModelPanel(context, this.settings, this.trans),
    });
  }
}
