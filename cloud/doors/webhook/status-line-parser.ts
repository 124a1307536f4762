/**
 * Reads the status of an HTTP answer, whatever its other lines are. Receivers stand behind devices and scripts that end lines with LF alone,
 * repeat Content-Length or put blanks into names: a server has said what it did all the same.
 */

/** Groups: version, status. The reason may be missing. */
const STATUS_LINE = /^HTTP\/\d(?:\.\d)? (\d{3})(?: .*)?$/;
const FINAL_MIN = 200;

/**
 * @param text what came so far; the line that has not ended counts for nothing
 * @returns the first status that is not informational (1xx); null: none has come, or this is no HTTP
 */
export function parseStatusLine(text: string): number | null {
  let isInHeaders = false;
  for (const line of text.split('\n').slice(0, -1)) {
    const content = line.replace(/\r$/, '');
    if (isInHeaders) {
      isInHeaders = content !== '';
      continue;
    }
    if (content === '') continue;
    const [, digits] = STATUS_LINE.exec(content) ?? [];
    if (digits === undefined) return null;
    const status = Number(digits);
    if (status >= FINAL_MIN) return status;
    isInHeaders = true;
  }
  return null;
}
