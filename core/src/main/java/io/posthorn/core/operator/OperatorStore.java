package io.posthorn.core.operator;

import io.posthorn.core.archive.ArchiveStore;
import io.posthorn.core.audit.AuditStore;
import io.posthorn.core.deadletter.DeadLetterStore;
import io.posthorn.core.doctor.DoctorStore;
import io.posthorn.core.figures.FiguresStore;
import io.posthorn.core.inbox.ReceiptStore;
import io.posthorn.core.operation.OperationStore;
import io.posthorn.core.restore.RestoreStore;
import io.posthorn.core.retention.RetentionStore;
import io.posthorn.core.status.StatusStore;
import io.posthorn.core.steering.SteeringStore;
import io.posthorn.core.story.StoryStore;

/** One database's implementation of what people need to see and steer deliveries. */
public interface OperatorStore
    extends DeadLetterStore,
        ReceiptStore,
        SteeringStore,
        OperationStore,
        AuditStore,
        RestoreStore,
        StoryStore,
        StatusStore,
        FiguresStore,
        DoctorStore,
        RetentionStore,
        ArchiveStore {}
