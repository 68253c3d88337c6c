/** The line to show for something that was thrown. */
export function lineOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
