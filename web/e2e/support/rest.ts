// The server's REST interface, as other clients use it.
import { expect, type APIRequestContext } from '@playwright/test'

const headers = { 'X-RestLi-Protocol-Version': '2.0.0', 'Content-Type': 'application/json' }

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

export interface Proposal {
  urn: string
  aspect: string
  value: Json
}

export class Rest {
  constructor(
    private readonly request: APIRequestContext,
    readonly url: string,
  ) {}

  /** The latest version of an aspect; undefined if there is none. */
  async aspect(urn: string, name: string): Promise<Record<string, Json> | undefined> {
    const answer = await this.request.get(`${this.url}/aspects/${encodeURIComponent(urn)}?aspect=${name}&version=0`, { headers })
    if (answer.status() === 404) return undefined
    expect(answer.ok(), await answer.text()).toBe(true)
    const { aspect } = (await answer.json()) as { aspect: Record<string, Record<string, Json>> }
    return Object.values(aspect)[0]
  }

  /** The names of the aspects that are stored of an entity. */
  async aspects(urn: string): Promise<string[]> {
    const answer = await this.request.get(`${this.url}/entitiesV2/${encodeURIComponent(urn)}`, { headers })
    expect(answer.ok(), await answer.text()).toBe(true)
    return Object.keys(((await answer.json()) as { aspects: object }).aspects)
  }

  /** Writes aspects, all of them or none, and waits until searches find what was written. */
  async write(proposals: readonly Proposal[], run = 'web-test'): Promise<void> {
    const answer = await this.request.post(`${this.url}/aspects?action=ingestProposalBatch`, {
      headers: { ...headers, 'X-Headwater-Wait': 'index' },
      data: {
        proposals: proposals.map(({ urn, aspect, value }) => ({
          entityType: urn.split(':')[2],
          entityUrn: urn,
          changeType: 'UPSERT',
          aspectName: aspect,
          aspect: { value: JSON.stringify(value), contentType: 'application/json' },
          systemMetadata: { runId: run, lastObserved: Date.now() },
        })),
      },
      timeout: 60_000,
    })
    expect(answer.ok(), (await answer.text()).slice(0, 2000)).toBe(true)
  }

  /** Removes all that is stored of an entity. */
  async remove(urn: string): Promise<void> {
    const answer = await this.request.post(`${this.url}/entities?action=delete`, { headers, data: { urn } })
    expect(answer.ok(), await answer.text()).toBe(true)
  }

  async graphql<T>(query: string, variables: Record<string, Json> = {}): Promise<T> {
    const answer = await this.request.post(`${this.url}/api/graphql`, { data: { query, variables } })
    const body = (await answer.json()) as { data: T; errors?: { message: string }[] }
    expect(body.errors ?? [], query).toEqual([])
    return body.data
  }
}
