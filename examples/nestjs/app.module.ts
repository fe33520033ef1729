/** The application: reports and bills, which one of all instances runs at a time, and a page that says how this instance is. */
import { Module } from '@nestjs/common'
import { ConfigModule, ConfigService } from '@nestjs/config'
import { TerminusModule } from '@nestjs/terminus'
import { SimbaModule, type SimbaModuleOptions } from 'simba-xstate/nestjs'
import { Billing } from './billing.ts'
import { HealthController } from './health.controller.ts'
import { Ledger } from './ledger.ts'
import { Reports } from './reports.ts'

@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true }),
    SimbaModule.forRootAsync({
      inject: [ConfigService],
      useFactory: (config: ConfigService): SimbaModuleOptions => ({
        backend: config.get<string>('REDIS_URL', 'redis://127.0.0.1:6379'),
        namespace: 'nestjs-example',
        node: config.get('NODE_NAME'),
        leaseDuration: config.get('LEASE_DURATION', '15s'),
        renewInterval: config.get('RENEW_INTERVAL'),
      }),
    }),
    TerminusModule.forRoot({ logger: false }),
  ],
  controllers: [HealthController],
  providers: [Ledger, Reports, Billing],
})
export class AppModule {}
