import * as fc from '../../property.js';
import { XMLParser } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import {
  attributeOf,
  childOf,
  parseXml,
  textOf,
  type XmlElement,
  XmlError,
} from '../../../agent/lpr/formats/xml-parser.js';
import { runs } from '../../depth.js';

/** Name and text of leaves, name and children of others. */
function shapeOf(element: XmlElement): unknown {
  if (element.children.length === 0) return [element.name, textOf(element)];
  return [element.name, element.children.map(shapeOf)];
}

describe('parseXml', () => {
  it.each([
    [
      'a declaration, comments and blanks',
      '<?xml version="1.0"?>\n<!-- a < b -->\n<a>\n <b> x </b>\n</a>\n',
      ['a', [['b', 'x']]],
    ],
    [
      'prefixes',
      '<h:a xmlns:h="http://x/y"><h:b>1</h:b><c/></h:a>',
      [
        'a',
        [
          ['b', '1'],
          ['c', ''],
        ],
      ],
    ],
    ['attributes that hold marks', `<a x="1 > 0" y='/>'><b z="'>'"/></a>`, ['a', [['b', '']]]],
    [
      'empty elements',
      '<a><b/><c /><d></d></a>',
      [
        'a',
        [
          ['b', ''],
          ['c', ''],
          ['d', ''],
        ],
      ],
    ],
    ['CDATA', '<a><![CDATA[1 < 2 && <b>]]></a>', ['a', '1 < 2 && <b>']],
    ['entities', '<a>&lt;&amp;amp;&gt;&quot;&apos;&#65;&#x416;&unknown;&#0;</a>', ['a', '<&amp;>"\'AЖ&unknown;']],
    ['a blank in the closing tag', '<a>1</a >', ['a', '1']],
    ['what follows the root', '<a>1</a>\u0000\r\n', ['a', '1']],
  ])('reads %s', (_, xml, shape) => {
    expect(shapeOf(parseXml(xml))).toEqual(shape);
  });

  it.each([
    ['nothing', ''],
    ['text', 'no XML'],
    ['an element that is not closed', '<a><b></b>'],
    ['an element closed by another', '<a><b></a></b>'],
    ['a prefix closed by another', '<x:a></y:a>'],
    ['a closing tag too many', '<a></a></a>'],
    ['two roots', '<a/><b/>'],
    ['a tag that is cut off', '<a><b'],
    ['a comment that is cut off', '<a><!-- '],
    ['an attribute that is cut off', '<a b="><c/></a>'],
    ['an element without a name', '<a>< b></a>'],
    ['a DOCTYPE', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'],
    ['elements too deep', `${'<a>'.repeat(40)}${'</a>'.repeat(40)}`],
    ['elements too many', `<a>${'<b/>'.repeat(6_000)}</a>`],
  ])('refuses %s', (_, xml) => {
    expect(() => parseXml(xml)).toThrow(XmlError);
  });

  it.each([
    ['a value in double quotes', '<a x="1"/>', '1'],
    ['a value in single quotes', "<a x='1'/>", '1'],
    ['a value that holds quotes and marks', `<a y='x="2"' x=" it's > 1 / 2 "/>`, "it's > 1 / 2"],
    ['blanks around the equals', '<a\n x\t=\r\n"1" />', '1'],
    ['a prefix', '<a n:x="1"/>', '1'],
    ['entities', '<a x="&lt;&#65;&quot;"/>', '<A"'],
    ['the first of two', '<a x="1" x="2"/>', '1'],
    ['one behind a name without a value', '<a y z= x="1"/>', '1'],
    ['one behind equals without a name', '<a == ="2" x="1"/>', '1'],
    ['none', '<a y="1"/>', ''],
    ['none where its name is part of another', '<a xx="1" ax="2"/>', ''],
    ['no value', '<a x/>', ''],
  ])('finds an attribute: %s', (_, xml, value) => {
    expect(attributeOf(parseXml(xml), 'x')).toBe(value);
  });

  it('finds children and text that are not there as nothing', () => {
    const root = parseXml('<a><b>1</b><b>2</b></a>');
    expect(textOf(childOf(root, 'b'))).toBe('1');
    expect(textOf(childOf(root, 'c'))).toBe('');
    expect(textOf(childOf(undefined, 'c'))).toBe('');
  });

  it('agrees with a general parser on any tree', () => {
    const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,8}$/).map((text) => `n${text}`);
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
      .map((raw) =>
        raw.replace(/[&<>\s\p{Cc}]/gu, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] ?? '.'),
      );
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.tuple(name, text).map(([tag, inner]) => `<${tag} at="x">\n${inner} </${tag}>`),
        fc
          .tuple(name, fc.array(tie('tree'), { minLength: 1, maxLength: 4 }))
          .map(([tag, inner]) => `<p:${tag}>${inner.join('\n')}<!-- c --></p:${tag}>`),
      ),
    }));
    const general = new XMLParser({ removeNSPrefix: true, parseTagValue: false, preserveOrder: true });
    const generalShape = (node: Record<string, unknown>): unknown => {
      const [tag, inner] = Object.entries(node)[0] as [string, Record<string, unknown>[]];
      const children = inner.filter((child) => !('#text' in child));
      if (children.length > 0) return [tag, children.map(generalShape)];
      return [tag, String(inner[0]?.['#text'] ?? '')];
    };
    fc.assert(
      fc.property(tree, (xml) => {
        expect(shapeOf(parseXml(xml))).toEqual(generalShape(general.parse(xml)[0]));
      }),
    );
  });

  it('reads or refuses whatever comes, and nothing else', () => {
    fc.assert(
      fc.property(
        fc
          .array(
            fc.oneof(
              fc.constantFrom('<a>', '</a>', '<', '>', '"', '<!--', '-->', '<![CDATA[', ']]>', '&', '/'),
              fc.string(),
            ),
          )
          .map((pieces) => pieces.join('')),
        (xml) => {
          try {
            expect(parseXml(xml).name).toEqual(expect.any(String));
          } catch (error) {
            expect(error).toBeInstanceOf(XmlError);
          }
        },
      ),
      { numRuns: runs(500) },
    );
  });
});
