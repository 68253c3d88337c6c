import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin,
} from '@jupyterlab/application';
import { ICommandPalette, IThemeManager, WidgetTracker } from '@jupyterlab/apputils';
import { ISearchProviderRegistry } from '@jupyterlab/documentsearch';
import { IDefaultFileBrowser, IFileBrowserFactory } from '@jupyterlab/filebrowser';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { LabIcon } from '@jupyterlab/ui-components';
import onnxSvg from '../../../style/onnx.svg';
import { addCommands, Command } from './commands.js';
import { type ModelDocument, ModelDocumentFactory } from './document.js';
import { NoContentModelFactory } from './model.js';
import { ModelSearchProvider } from './search.js';

const FACTORY = 'ONNX Model';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'onnxlab:plugin',
  description: 'Opens ONNX models.',
  autoStart: true,
  optional: [
    ITranslator,
    ISettingRegistry,
    ILayoutRestorer,
    ICommandPalette,
    IFileBrowserFactory,
    IDefaultFileBrowser,
    IThemeManager,
    ISearchProviderRegistry,
  ],
  activate,
};

function activate(
  app: JupyterFrontEnd,
  translator: ITranslator | null,
  settings: ISettingRegistry | null,
  restorer: ILayoutRestorer | null,
  palette: ICommandPalette | null,
  browsers: IFileBrowserFactory | null,
  defaultBrowser: IDefaultFileBrowser | null,
  themes: IThemeManager | null,
  search: ISearchProviderRegistry | null,
): void {
  const trans = (translator ?? nullTranslator).load('onnxlab');
  const icon = new LabIcon({ name: 'onnxlab:model', svgstr: onnxSvg });
  void settings?.load(plugin.id).catch(() => undefined); // brings the context menu; nothing hangs on it

  app.docRegistry.addFileType({
    name: 'onnx',
    displayName: trans.__('ONNX model'),
    extensions: ['.onnx'],
    mimeTypes: ['application/x-onnx'],
    contentType: 'file',
    fileFormat: null,
    icon,
  });
  app.docRegistry.addModelFactory(new NoContentModelFactory());
  const factory = new ModelDocumentFactory(
    {
      name: FACTORY,
      label: trans.__('ONNX Model'),
      modelName: NoContentModelFactory.NAME,
      fileTypes: ['onnx'],
      defaultFor: ['onnx'],
      readOnly: true,
    },
    app.serviceManager.serverSettings,
    trans,
  );
  app.docRegistry.addWidgetFactory(factory);

  const tracker = new WidgetTracker<ModelDocument>({ namespace: 'onnxlab' });
  factory.widgetCreated.connect((_, widget) => {
    widget.title.icon = icon;
    widget.context.pathChanged.connect(() => void tracker.save(widget));
    void tracker.add(widget);
  });
  void restorer?.restore(tracker, {
    command: 'docmanager:open',
    args: (widget) => ({ path: widget.context.path, factory: FACTORY }),
    name: (widget) => widget.context.path,
  });

  themes?.themeChanged.connect(() => {
    tracker.forEach((widget) => {
      widget.content.view?.refreshTheme();
    });
  });
  search?.add('onnxlab', ModelSearchProvider);
  addCommands({
    commands: app.commands,
    trans,
    icon,
    factory: FACTORY,
    tracker,
    selectedPaths: () => {
      const browser = browsers?.tracker.currentWidget ?? defaultBrowser;
      return [...(browser?.selectedItems() ?? [])].map((item) => item.path);
    },
  });
  for (const command of [Command.fit, Command.reload]) {
    palette?.addItem({ command, category: trans.__('ONNX') });
  }
}

export default [plugin];
