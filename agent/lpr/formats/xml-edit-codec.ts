/** Changes a document as it is written, so that everything else in it stays as a camera wrote it. */

/**
 * The document with the text of one element replaced, or the element added at the end. A tag is sought no further than to the next one, as
 * no value of an attribute holds a `<`: its cost grows with the document and no more.
 */
export function withText(xml: string, name: string, value: string): string {
  const escaped = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const element = new RegExp(`<((?:\\w+:)?${name})(\\s[^<>]*)?(?:/>|>[^<]*</(?:\\w+:)?${name}>)`);
  if (element.test(xml)) {
    return xml.replace(
      element,
      (_, tag: string, attributes: string = '') => `<${tag}${attributes}>${escaped}</${tag}>`,
    );
  }
  const end = xml.lastIndexOf('</');
  return `${xml.slice(0, end)}<${name}>${escaped}</${name}>\n${xml.slice(end)}`;
}
