/** Leader work in NestJS: one client for an application, and the decorated methods of its providers. */
export { type SimbaHealth, SimbaHealthIndicator } from './health.ts'
export { InjectSimba, SIMBA } from './inject.ts'
export { SimbaModule } from './module.ts'
export type { SimbaModuleOptions } from './options.ts'
