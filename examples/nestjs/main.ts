/** Starts one instance. Start as many as you like; SIGTERM or SIGINT ends one in handover order. */
import { NestFactory } from '@nestjs/core'
import { AppModule } from './app.module.ts'

const app = await NestFactory.create(AppModule)
// Without the hooks, a signal kills the process: its leases are missed for one lease duration. With `useProcessExit` it ends with code 0.
app.enableShutdownHooks([], { useProcessExit: true })
await app.listen(process.env.PORT ?? 0)
