/** Files that the page gives to the person: browsers save what a link with a name leads to. */

/** @param content text is saved as UTF-8 */
export function saveFile(name: string, content: string | Blob): void {
  const file = typeof content === 'string' ? new Blob([content], { type: 'text/csv;charset=utf-8' }) : content;
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Not at once: the browser still has to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
