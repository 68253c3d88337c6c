import type { WidgetTracker } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { LabIcon } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import type { ModelDocument } from './document.js';

export const Command = {
  open: 'onnxlab:open',
  fit: 'onnxlab:fit',
  reload: 'onnxlab:reload',
} as const;

export interface CommandContext {
  commands: CommandRegistry;
  trans: TranslationBundle;
  icon: LabIcon;
  factory: string;
  tracker: WidgetTracker<ModelDocument>;
  selectedPaths: () => string[];
}

const NO_ARGUMENTS = { args: { type: 'object', properties: {} } } as const;

export function addCommands(context: CommandContext): void {
  const { commands, trans, icon, factory, tracker, selectedPaths } = context;
  const current = () => tracker.currentWidget?.content ?? null;

  commands.addCommand(Command.open, {
    label: trans.__('Open as ONNX Model'),
    icon,
    describedBy: { args: { type: 'object', properties: { path: { type: 'string' } } } },
    execute: (args) => {
      const { path } = args;
      const chosen = typeof path === 'string' ? [path] : selectedPaths();
      const models = chosen.filter((one) => one.toLowerCase().endsWith('.onnx'));
      return Promise.all(
        models.map((model) => commands.execute('docmanager:open', { path: model, factory })),
      );
    },
  });
  commands.addCommand(Command.fit, {
    label: trans.__('Fit Model to Window'),
    describedBy: NO_ARGUMENTS,
    isEnabled: () => current()?.view != null,
    execute: () => current()?.view?.fit(),
  });
  commands.addCommand(Command.reload, {
    label: trans.__('Reload Model from Disk'),
    describedBy: NO_ARGUMENTS,
    isEnabled: () => current() !== null,
    execute: () => current()?.reload(),
  });
}
