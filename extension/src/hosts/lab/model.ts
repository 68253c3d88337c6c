import { DocumentModel, type DocumentRegistry } from '@jupyterlab/docregistry';
import type { Contents } from '@jupyterlab/services';

/** A document model without content: the server reads the file, the browser never does. */
class NoContentModel extends DocumentModel {
  /**
   * JupyterLab takes a collaborative model to be stored by someone else: it neither saves it nor, above all,
   * copies a file of gigabytes into `.ipynb_checkpoints` when it opens it.
   */
  override get collaborative(): boolean {
    return true;
  }

  override toString(): string {
    throw new Error('a model is shown, not edited');
  }

  override fromString(): void {
    // There is nothing to take in: the content was not asked for.
  }
}

export class NoContentModelFactory
  implements DocumentRegistry.IModelFactory<DocumentRegistry.ICodeModel>
{
  static readonly NAME = 'onnxlab:no-content';
  readonly name = NoContentModelFactory.NAME;
  readonly contentType: Contents.ContentType = 'file';
  /** No format: JupyterLab asks for the file's facts without its content. */
  readonly fileFormat: Contents.FileFormat = null;
  readonly collaborative = false;
  isDisposed = false;

  dispose(): void {
    this.isDisposed = true;
  }

  preferredLanguage(): string {
    return '';
  }

  createNew(): DocumentRegistry.ICodeModel {
    const model = new NoContentModel();
    model.readOnly = true;
    return model;
  }
}
