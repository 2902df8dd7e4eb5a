package io.posthorn.api;

import io.posthorn.api.audit.AuditController;
import io.posthorn.api.database.DatabasesController;
import io.posthorn.api.deadletter.CausesController;
import io.posthorn.api.deadletter.DeadLettersController;
import io.posthorn.api.deadletter.RescueController;
import io.posthorn.api.destination.DestinationsController;
import io.posthorn.api.destination.ParkedController;
import io.posthorn.api.destination.PausesController;
import io.posthorn.api.event.EventsController;
import io.posthorn.api.event.LiveFigures;
import io.posthorn.api.inbox.InboxController;
import io.posthorn.api.message.AddingController;
import io.posthorn.api.message.MessagesController;
import io.posthorn.api.operation.OperationsController;
import io.posthorn.api.restore.RestoreController;
import io.posthorn.api.retention.RetentionController;
import io.posthorn.api.task.Tasks;
import io.posthorn.api.task.TasksController;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The controllers of the API. A new controller is one line here. */
@Configuration(proxyBeanMethods = false)
@Import({
  DatabasesController.class,
  DestinationsController.class,
  PausesController.class,
  ParkedController.class,
  MessagesController.class,
  AddingController.class,
  DeadLettersController.class,
  CausesController.class,
  RescueController.class,
  OperationsController.class,
  TasksController.class,
  InboxController.class,
  RetentionController.class,
  AuditController.class,
  RestoreController.class,
  EventsController.class,
})
public class ApiControllers {
  @Bean
  Tasks posthornApiTasks() {
    return new Tasks();
  }

  @Bean
  LiveFigures posthornLiveFigures() {
    return new LiveFigures();
  }
}
