/** The part of @statelyai/inspect 0.7 that the README uses. The package is none of this project's: it is for whoever wants to look. */

declare module '@statelyai/inspect' {
  import type { InspectionEvent, Observer } from 'xstate'

  export function createWebSocketInspector(options?: { url: string; serializationDepthLimit?: number }): {
    readonly inspect: Observer<InspectionEvent>
    stop(): void
  }
}

declare module '@statelyai/inspect/server' {
  export function createInspectorServer(options?: { port?: number; url?: string; autoOpen?: boolean }): { stop(): void }
}
