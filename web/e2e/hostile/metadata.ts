// Hostile metadata, which a catalog may still receive: markup and addresses that run scripts in every text,
// names of 4,000 characters, 10,000 columns, text from right to left and control characters.
import { dataset, user } from '../support/names'
import type { Json, Proposal } from '../support/rest'

/** This text sets window.pwned if a browser ever runs it as markup. */
export const markup = `<img src=x onerror="window.pwned='img'"><script>window.pwned='script'</script><svg onload="window.pwned='svg'"></svg>"'>`

const abroad = 'https://evil.example'

/** Every known way to make a Markdown reader produce more than text. */
export const markdown = `# Hostile ${markup}

[a script](javascript:window.pwned='link') [spaced](  JaVaScRiPt:window.pwned='link') [entity](javascript&#58;window.pwned='link')
[data](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==) [vb](vbscript:msgbox) [file](file:///etc/passwd) [blob](blob:null/1)
[reference][one] <javascript:window.pwned='auto'> [titled](${abroad}/x "onmouseover='window.pwned=1'")

![image](${abroad}/image.png) ![script](javascript:window.pwned='image') ![svg](data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg' onload='window.pwned=1'/>)

<script>window.pwned='raw'</script>
<script src="${abroad}/x.js"></script>
<img src="${abroad}/raw.png" srcset="${abroad}/raw2.png 2x" onerror="window.pwned='raw img'">
<iframe src="${abroad}/frame"></iframe><iframe srcdoc="<script>parent.pwned='srcdoc'</script>"></iframe>
<object data="${abroad}/o"></object><embed src="${abroad}/e"><video src="${abroad}/v" autoplay></video><audio src="${abroad}/a" autoplay></audio>
<link rel="stylesheet" href="${abroad}/x.css"><style>@import url(${abroad}/y.css); body { display: none; background: url(${abroad}/z.png) }</style>
<div style="position:fixed;inset:0;background:url(${abroad}/s.png)" class="hidden" id="main">covers the page</div>
<form action="${abroad}/f"><input name="token" autofocus onfocus="window.pwned='focus'"><button>send</button></form>
<base href="${abroad}/"><meta http-equiv="refresh" content="0;url=${abroad}/m">
<svg><use href="${abroad}/u.svg#x"/><animate onbegin="window.pwned='svg'" attributeName="x" dur="1s"/><a xlink:href="javascript:window.pwned='xlink'"><text>x</text></a></svg>
<math><mtext><table><mglyph><style><img src=x onerror="window.pwned='math'"></style></mglyph></table></mtext></math>
<details open ontoggle="window.pwned='toggle'"><summary>open</summary></details>
<a href="javascript:window.pwned='a'" onclick="window.pwned='click'" ping="${abroad}/ping" target="_top">raw link</a>

\`\`\`html
<script>window.pwned='code'</script>
\`\`\`

| a | b |
| --- | --- |
| <img src=x onerror="window.pwned='cell'"> | ${markup} |

[one]: javascript:window.pwned='reference'
`

export const long = 'W'.repeat(2000) + ' and ' + 'words '.repeat(333) // 4,003 characters; the first 2,000 without a place to break
/** Arabic, a character that reverses the direction of the text after it, and control characters. */
export const rightToLeft = 'جدول الطلبات \u202Eexe.stnemyap\u202C \u2066\u0007\u001B[31mred\u001B[0m\u0008\uFEFF'

export const markedUp = dataset('hive', 'hostile.markup')
export const wide = dataset('hive', 'hostile.wide')
export const named = dataset('hive', 'hostile.long')
export const turned = dataset('hive', 'hostile.turned')
/** A dataset whose lists have every entry twice. */
export const doubled = dataset('hive', 'hostile.doubled')
export const scripted = `urn:li:dashboard:(looker,hostile)`
export const hostileTag = 'urn:li:tag:hostile'
export const hostileTerm = 'urn:li:glossaryTerm:hostile'
export const hostileDomain = 'urn:li:domain:hostile'
export const hostileUser = user('hostile')
export const hostileGroup = 'urn:li:corpGroup:hostile'

export const everything = [markedUp, wide, named, turned, doubled, scripted, hostileTag, hostileTerm, hostileDomain, hostileUser, hostileGroup]

const columnsOfWide = 10_000
const stamp = { time: 0, actor: hostileUser }

function schema(of: string, fields: { path: string; description?: string; type?: string }[]): Json {
  return {
    schemaName: of,
    platform: 'urn:li:dataPlatform:hive',
    version: 0,
    hash: '',
    platformSchema: { 'com.linkedin.schema.OtherSchema': { rawSchema: markup } },
    fields: fields.map(({ path, description, type }) => ({
      fieldPath: path,
      nativeDataType: type ?? 'text',
      type: { type: { 'com.linkedin.schema.StringType': {} } },
      ...(description ? { description } : {}),
    })),
  }
}

const labels = {
  globalTags: { tags: [{ tag: hostileTag }] },
  glossaryTerms: { terms: [{ urn: hostileTerm }], auditStamp: stamp },
  ownership: { owners: [{ owner: hostileUser, type: 'TECHNICAL_OWNER' }, { owner: hostileGroup, type: 'DATAOWNER' }], lastModified: stamp },
  domains: { domains: [hostileDomain] },
}

const columnLabels = { globalTags: labels.globalTags, glossaryTerms: labels.glossaryTerms }

/** Repeats each entry of the lists in aspects. */
function twice(aspects: Record<string, Json>): Record<string, Json> {
  return JSON.parse(JSON.stringify(aspects), (_, value: Json) => (Array.isArray(value) ? [...value, ...value] : value)) as Record<string, Json>
}

const of = (urn: string, aspects: Record<string, Json>): Proposal[] => Object.entries(aspects).map(([aspect, value]) => ({ urn, aspect, value }))
const columnOf = (urn: string, path: string) => `urn:li:schemaField:(${urn},${path})`

/** The proposals to load, in requests of a size that the server takes. */
export function metadata(): Proposal[][] {
  const people = [
    ...of(hostileUser, { corpUserInfo: { active: true, displayName: markup, fullName: markup, title: markup, email: `"${markup}"@evil.example` }, corpUserEditableInfo: { aboutMe: markdown, pictureLink: `${abroad}/face.png` } }),
    ...of(hostileGroup, { corpGroupInfo: { displayName: long, description: markdown, email: 'javascript:window.pwned=1', admins: [], members: [], groups: [] } }),
    ...of(hostileTag, { tagProperties: { name: markup, description: markdown, colorHex: `red;background:url(${abroad}/colour.png)` } }),
    ...of(hostileTerm, { glossaryTermInfo: { name: long, definition: markdown, termSource: 'INTERNAL' } }),
    ...of(hostileDomain, { domainProperties: { name: rightToLeft, description: markdown } }),
    ...of('urn:li:dataPlatform:hive', { dataPlatformInfo: { name: 'hive', displayName: `Hive ${markup}`, type: 'OTHERS', datasetNameDelimiter: '.', logoUrl: `${abroad}/logo.png` } }),
  ]
  const properties: Record<string, string> = { [markup]: markup, script: "javascript:window.pwned='property'", [long.slice(0, 400)]: long, [rightToLeft]: rightToLeft }
  const data = [
    ...of(markedUp, {
      datasetProperties: { name: markup, description: markdown, customProperties: properties, externalUrl: "javascript:window.pwned='external'" },
      schemaMetadata: schema('hostile.markup', [
        { path: markup.replaceAll(/[(),]/g, ''), description: markdown, type: markup },
        { path: 'plain', description: long, type: long },
      ]),
      institutionalMemory: { elements: [{ url: "javascript:window.pwned='memory'", description: markup, createStamp: stamp }, { url: `${abroad}/wiki`, description: long, createStamp: stamp }] },
      deprecation: { deprecated: true, note: markup, actor: hostileUser },
      ...labels,
    }),
    ...of(named, { datasetProperties: { name: long, description: long }, upstreamLineage: lineage([markedUp]), schemaMetadata: schema('hostile.long', [{ path: 'c'.repeat(300), description: long }]), ...labels }),
    ...of(turned, { datasetProperties: { name: rightToLeft, description: `${rightToLeft}\n\n${rightToLeft}` }, upstreamLineage: lineage([wide, named]), schemaMetadata: schema('hostile.turned', [{ path: 'عمود', description: rightToLeft }]), ...labels }),
    ...of(doubled, {
      datasetProperties: { name: 'Everything twice' },
      schemaMetadata: schema('hostile.doubled', [{ path: 'twice' }, { path: 'twice', description: 'again' }]),
      editableSchemaMetadata: { editableSchemaFieldInfo: [{ fieldPath: 'twice', ...twice(columnLabels) }, { fieldPath: 'twice', ...twice(columnLabels) }] },
      upstreamLineage: lineage([named, named]),
      siblings: { siblings: [named, named], primary: true },
      ...twice(labels),
    }),
    ...of(scripted, {
      dashboardInfo: { title: markup, description: markdown, charts: [], datasets: [markedUp, turned], lastModified: { created: stamp, lastModified: stamp }, dashboardUrl: "javascript:window.pwned='dashboard'" },
      ...labels,
    }),
    ...of('urn:li:query:hostile', { queryProperties: { name: markup, description: markup, source: 'MANUAL', statement: { value: `select '${markup}'`, language: 'SQL' }, created: stamp, lastModified: stamp }, querySubjects: { subjects: [{ entity: markedUp }] } }),
  ]
  const columns = Array.from({ length: columnsOfWide }, (_, i) => ({ path: `part_${i % 97}.column_${String(i).padStart(5, '0')}`, description: i % 10 ? '' : `Column ${i} ${markup}` }))
  const fine = columns.slice(0, 500).map(({ path }, i) => ({
    upstreamType: 'FIELD_SET',
    upstreams: [columnOf(markedUp, 'plain')],
    downstreamType: 'FIELD',
    downstreams: [columnOf(wide, path)],
    transformOperation: i ? 'IDENTITY' : markup,
    confidenceScore: 1,
  }))
  const many = of(wide, {
    datasetProperties: { name: 'A table of ten thousand columns' },
    schemaMetadata: schema('hostile.wide', columns),
    upstreamLineage: { ...lineage([markedUp]), fineGrainedLineages: fine },
  })
  return [people, data, many]
}

function lineage(upstreams: string[]): { upstreams: Json[] } {
  return { upstreams: upstreams.map((urn) => ({ dataset: urn, type: 'TRANSFORMED', auditStamp: stamp })) }
}
